"""What one server and three cost: processor time, time to wait, memory and traffic."""
