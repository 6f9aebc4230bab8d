package main

import (
	"math/big"

	"github.com/consensys/gnark-crypto/ecc"
	curves "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"
)

func bls12381Curve() curve {
	scalars := make([]fr.Element, points)
	integers := make([]*big.Int, points)
	for index := range scalars {
		_, err := scalars[index].SetRandom()
		check(err)
		integers[index] = scalars[index].BigInt(new(big.Int))
	}
	_, _, base1, base2 := curves.Generators()
	first := curves.BatchScalarMultiplicationG1(&base1, scalars)
	second := curves.BatchScalarMultiplicationG2(&base2, scalars)
	alone := ecc.MultiExpConfig{NbTasks: 1}
	return curve{"gnark-crypto BLS12-381", map[string]func(int){
		"G1 scale": func(count int) {
			var result curves.G1Affine
			for index := range count {
				result.ScalarMultiplication(&first[index], integers[count-1-index])
			}
		},
		"G2 scale": func(count int) {
			var result curves.G2Affine
			for index := range count {
				result.ScalarMultiplication(&second[index], integers[count-1-index])
			}
		},
		"G1 add": func(count int) {
			var sum curves.G1Jac
			for index := range count {
				sum.AddMixed(&first[index])
			}
		},
		"G2 add": func(count int) {
			var sum curves.G2Jac
			for index := range count {
				sum.AddMixed(&second[index])
			}
		},
		"G1 fixed base": func(count int) {
			curves.BatchScalarMultiplicationG1(&first[0], scalars[:count])
		},
		"G2 fixed base": func(count int) {
			curves.BatchScalarMultiplicationG2(&second[0], scalars[:count])
		},
		"G1 msm": func(count int) {
			_, err := new(curves.G1Affine).MultiExp(first[:count], scalars[:count], alone)
			check(err)
		},
		"G2 msm": func(count int) {
			_, err := new(curves.G2Affine).MultiExp(second[:count], scalars[:count], alone)
			check(err)
		},
		"pairing product": func(count int) {
			_, err := curves.Pair(first[:count], second[:count])
			check(err)
		},
	}}
}
