"""A ladder whose server is killed, whose bots are restarted, and whose connections are cut."""
