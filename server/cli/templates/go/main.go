// A bot that plays every game.
package main

import bridgemaster "@GO@"

// myBot chooses the legal decision in the middle of the list.
type myBot struct{}

// Decide returns the index of a legal decision, or a complete decision.
//
// request.Message.GetGame() has the observation and the legal decisions of this seat in the field of
// the game, such as GetAlhambra().GetObservation(). DecisionLeft and BankLeft return the remaining
// time.
func (*myBot) Decide(request *bridgemaster.Request) bridgemaster.Choice {
	return bridgemaster.Index(request.LegalCount() / 2)
}

func main() {
	// Each match has its own instance of the bot.
	newBot := func() bridgemaster.Bot { return &myBot{} }
	bridgemaster.RunEach(newBot, bridgemaster.Options{Name: "my-bot", Version: "0.1"})
}
