package bridgemaster

//go:generate buf generate
