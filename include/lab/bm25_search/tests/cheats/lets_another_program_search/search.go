package main

import (
	"os"
	"os/exec"
)

func main() {
	search := exec.Command("/usr/bin/awk", "{ print 0 }")
	search.Stdin, search.Stdout = os.Stdin, os.Stdout
	if search.Run() != nil {
		os.Exit(1)
	}
}
