// A bot that plays every game.
package main

import "bridgemaster"

// myBot takes the legal decision in the middle of the list.
type myBot struct{}

// Decide answers a request: with a position in the list of legal decisions, or with a decision in
// full.
//
// The request has all that there is to know. request.Message.GetGame() has what this seat sees and
// may do, in the entry of the game: GetAlhambra().GetObservation(). DecisionLeft and BankLeft tell the
// time that is left.
func (*myBot) Decide(request *bridgemaster.Request) bridgemaster.Choice {
	return bridgemaster.Index(request.LegalCount() / 2)
}

func main() {
	// Each match gets a bot of its own.
	newBot := func() bridgemaster.Bot { return &myBot{} }
	bridgemaster.RunEach(newBot, bridgemaster.Options{Name: "my-bot", Version: "0.1"})
}
