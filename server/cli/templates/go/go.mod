module my-bot

go 1.26.0

require bridgemaster v0.0.0

replace bridgemaster => @CHECKOUT@/bots/go
