package main

import (
	"math/big"

	"github.com/consensys/gnark-crypto/ecc"
	"github.com/consensys/gnark-crypto/utils"
)

// gnark-crypto has a package of types for each curve, made from one template: these are the methods
// that are measured, of scalars S and affine points A.
type scalar[S any] interface {
	*S
	SetRandom() (*S, error)
	BigInt(*big.Int) *big.Int
}

type affine[A, S any] interface {
	*A
	ScalarMultiplication(*A, *big.Int) *A
	MultiExp([]A, []S, ecc.MultiExpConfig) (*A, error)
}

// random draws scalars, and says them as integers too.
func random[S any, P scalar[S]]() ([]S, []*big.Int) {
	scalars := make([]S, points)
	integers := make([]*big.Int, points)
	for index := range scalars {
		_, err := P(&scalars[index]).SetRandom()
		check(err)
		integers[index] = P(&scalars[index]).BigInt(new(big.Int))
	}
	return scalars, integers
}

// transforms are Fourier transforms of scalars in natural order before and after; a domain transforms in
// place, and leaves its results in bit-reversed order.
func transforms[S any](scalars []S, domain func(size int) func([]S)) func(count int) {
	work := map[int]func(){}
	for _, size := range transformed {
		values := make([]S, size)
		for index := range values {
			values[index] = scalars[index%len(scalars)]
		}
		transform := domain(size)
		work[size] = func() {
			transform(values)
			utils.BitReverse(values)
		}
	}
	return func(count int) { work[count]() }
}

// operations adds the rows of a group, and returns the points that they are about. batch multiplies
// one point by many scalars; add sums up points: one addition is too short for an indirect call.
func operations[A, S any, P affine[A, S]](
	run map[string]func(count int),
	group string,
	batch func(*A, []S) []A,
	add func([]A),
	base *A,
	scalars []S,
	integers []*big.Int,
) []A {
	points := batch(base, scalars)
	alone := ecc.MultiExpConfig{NbTasks: 1}
	run[group+" scale"] = func(count int) {
		result := P(new(A))
		for index := range count {
			result.ScalarMultiplication(&points[index], integers[count-1-index])
		}
	}
	run[group+" add"] = func(count int) {
		add(points[:count])
	}
	run[group+" fixed base"] = func(count int) {
		batch(&points[0], scalars[:count])
	}
	run[group+" msm"] = func(count int) {
		_, err := P(new(A)).MultiExp(points[:count], scalars[:count], alone)
		check(err)
	}
	return points
}
