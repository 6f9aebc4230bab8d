// `peer groups`: gnark-crypto, the arithmetic of gnark, on one thread, in the rows of
// `subrosa-lab bench groups`.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

// Points of the largest sum.
const points = 1 << 16

// The sizes of transforms.
var transformed = [2]int{1 << 16, 1 << 20}

// A curve's operations on its first so many points.
type curve struct {
	name string
	run  map[string]func(count int)
}

// The rows, in order.
var table = []struct {
	name  string
	count int
}{
	{"G1 scale", 1000},
	{"G2 scale", 1000},
	{"G1 add", 1000},
	{"G2 add", 1000},
	{"G1 fixed base", 1000},
	{"G2 fixed base", 1000},
	{"G1 msm", 1000},
	{"G2 msm", 1000},
	{"G1 msm", 10_000},
	{"G2 msm", 10_000},
	{"G1 msm", points},
	{"G2 msm", points},
	{"pairing product", 100},
	{"scalar transform", transformed[0]},
	{"scalar transform", transformed[1]},
}

type row struct {
	Name  string  `json:"name"`
	Count int     `json:"count"`
	Wall  float64 `json:"wall_ms"`
	CPU   float64 `json:"cpu_ms"`
}

// cpu is the time of all threads of the process.
func cpu() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func measure(c curve) []row {
	rows := make([]row, 0, len(table))
	for _, operation := range table {
		clock, used := time.Now(), cpu()
		c.run[operation.name](operation.count)
		wall, spent := time.Since(clock), cpu()-used
		name := fmt.Sprintf("%s, %s", c.name, operation.name)
		rows = append(rows, row{name, operation.count, wall.Seconds() * 1e3, spent.Seconds() * 1e3})
	}
	return rows
}

// check ends the program: figures of a failed operation are none.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func main() {
	if len(os.Args) != 2 || os.Args[1] != "groups" {
		check(fmt.Errorf("usage: peer groups"))
	}
	runtime.GOMAXPROCS(1)
	rows := append(measure(bn254Curve()), measure(bls12381Curve())...)
	report := map[string]any{
		"bench":  "gnark-crypto",
		"params": map[string]any{"threads": 1},
		"rows":   rows,
		"sizes":  map[string]int{},
	}
	check(json.NewEncoder(os.Stdout).Encode(report))
}
