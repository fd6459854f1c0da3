package bridgemaster

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// Run is the main function of a bot program: it plays a match and prints its outcome on one line.
// If the match cannot be played to its end, it prints one line to standard error and exits with
// code 1.
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
		escape(options.name()), escape(result.GetMatchId()), strings.Join(places, ", "))
}

// RunEach is the main function of a bot program that can attend: it plays the match of
// BRIDGEMASTER_TICKET, or attends the queue of BRIDGEMASTER_QUEUE and plays every match offered
// there. newBot creates the bot of each match. Failures are handled as in Run.
func RunEach(newBot func() Bot, options Options) {
	if !options.shouldAttend() {
		Run(newBot(), options)
		return
	}
	if err := Attend(context.Background(), newBot, options); err != nil {
		fail(options, err)
	}
	fmt.Printf("%s: left the queue\n", escape(options.name()))
}

func fail(options Options, err error) {
	fmt.Fprintf(os.Stderr, "%s: error: %v\n", escape(options.name()), err)
	os.Exit(1)
}
