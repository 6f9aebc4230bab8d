package main

import (
	curves "github.com/consensys/gnark-crypto/ecc/bn254"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark-crypto/ecc/bn254/fr/fft"
)

func bn254Curve() curve {
	add1 := func(points []curves.G1Affine) {
		var sum curves.G1Jac
		for index := range points {
			sum.AddMixed(&points[index])
		}
	}
	add2 := func(points []curves.G2Affine) {
		var sum curves.G2Jac
		for index := range points {
			sum.AddMixed(&points[index])
		}
	}
	run := map[string]func(count int){}
	scalars, integers := random[fr.Element]()
	_, _, base1, base2 := curves.Generators()
	batch1, batch2 := curves.BatchScalarMultiplicationG1, curves.BatchScalarMultiplicationG2
	first := operations(run, "G1", batch1, add1, &base1, scalars, integers)
	second := operations(run, "G2", batch2, add2, &base2, scalars, integers)
	run["pairing product"] = func(count int) {
		_, err := curves.Pair(first[:count], second[:count])
		check(err)
	}
	run["scalar transform"] = transforms(scalars, func(size int) func([]fr.Element) {
		domain := fft.NewDomain(uint64(size))
		return func(values []fr.Element) { domain.FFT(values, fft.DIF, fft.WithNbTasks(1)) }
	})
	return curve{"gnark-crypto BN254", run}
}
