module my-bot

go 1.26.0

require @GO@ v@VERSION@
