package bridgemaster

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// Run is the body of a program: it plays a match, says in one line how it ended, and ends the program
// with exit code 1 and one line on standard error when it could not be played to its end.
func Run(bot Bot, options Options) {
	result, err := Play(context.Background(), bot, options)
	if err != nil {
		fail(options, err)
	}
	var places []string
	for _, seat := range result.GetSeats() {
		places = append(places,
			fmt.Sprintf("seat %d: place %d with %d", seat.GetSeat(), seat.GetPlace(), seat.GetScore()))
	}
	fmt.Printf("%s: match %s is over; %s\n",
		shown(options.name()), shown(result.GetMatchId()), strings.Join(places, ", "))
}

// RunEach is the body of a program that can attend: it plays the match of BRIDGEMASTER_TICKET, or
// attends the queue of BRIDGEMASTER_QUEUE and plays what it is offered there. newBot makes the bot of
// each match. It ends as Run does.
func RunEach(newBot func() Bot, options Options) {
	if !options.attends() {
		Run(newBot(), options)
		return
	}
	if err := Attend(context.Background(), newBot, options); err != nil {
		fail(options, err)
	}
	fmt.Printf("%s: the queue is left\n", shown(options.name()))
}

func fail(options Options, err error) {
	fmt.Fprintf(os.Stderr, "%s: error: %v\n", shown(options.name()), err)
	os.Exit(1)
}
