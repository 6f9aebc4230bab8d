//! Quadratic extensions by `i² = −1`: the fields of coordinates of the second groups.

use std::marker::PhantomData;

use ark_ff::{Fp2, Fp2Config};

use super::{
    Apart, Eight, LaneField, Lanes, RootField, TowerField,
    limbs::{self, Product},
    modulus::Prime,
    prime, roots,
};

/// An extension of the prime field `F`.
pub struct QuadraticLanes<C, F>(PhantomData<(C, F)>);

/// An element: two coefficients in N limbs.
type Limbs<L, const N: usize> = [[L; N]; 2];

/// The product of elements, the first of them below `A·p`.
struct Multiply<'a, C, L, const N: usize, const A: u32> {
    left: &'a Limbs<L, N>,
    right: &'a Limbs<L, N>,
    field: PhantomData<C>,
}

impl<C: Prime<N>, L: Lanes, const N: usize, const A: u32> Apart<L> for Multiply<'_, C, L, N, A> {
    type Output = Limbs<L, N>;

    /// `(a + bi)(c + di) = (ac − bd) + (ad + bc)i`, each sum reduced once.
    #[inline(always)]
    fn run(self) -> Limbs<L, N> {
        let ([a, b], [c, d]) = (self.left, self.right);
        let minus_b = limbs::sub::<L, C, N, A>(&limbs::zero(), b);
        let mut real = Product::of(a, c);
        real.accumulate(&minus_b, d);
        let mut imaginary = Product::of(a, d);
        imaginary.accumulate(b, c);
        [real.reduce::<C>(), imaginary.reduce::<C>()]
    }
}

/// The square of an element below `A·p`.
struct Square<'a, C, L, const N: usize, const A: u32> {
    element: &'a Limbs<L, N>,
    field: PhantomData<C>,
}

impl<C: Prime<N>, L: Lanes, const N: usize, const A: u32> Apart<L> for Square<'_, C, L, N, A> {
    type Output = Limbs<L, N>;

    /// `(a + bi)² = (a + b)(a − b) + 2abi`.
    #[inline(always)]
    fn run(self) -> Limbs<L, N> {
        let [a, b] = self.element;
        let difference = limbs::sub::<L, C, N, A>(a, b);
        let real = limbs::mul::<L, C, N>(&limbs::add(a, b), &difference);
        [real, limbs::mul::<L, C, N>(&limbs::add(a, a), b)]
    }
}

macro_rules! quadratic {
    ($base:ident, $words:literal, $limbs:literal) => {
        impl<C, M> LaneField for QuadraticLanes<C, prime::$base<M>>
        where
            M: ark_ff::MontConfig<$words>,
            C: Fp2Config<Fp = <prime::$base<M> as LaneField>::Scalar>,
        {
            type Scalar = Fp2<C>;
            type Packed = [<prime::$base<M> as LaneField>::Packed; 2];
            type Limbs<L: Lanes> = [[L; $limbs]; 2];
            const BLANK: Self::Packed = [prime::$base::<M>::BLANK; 2];
            // A product's coefficient is a sum of two products.
            const PRODUCTS: u64 = prime::$base::<M>::PRODUCTS / 2;

            #[inline(always)]
            fn zero<L: Lanes>() -> Self::Limbs<L> {
                [limbs::zero(); 2]
            }

            #[inline(always)]
            fn one<L: Lanes>() -> Self::Limbs<L> {
                [prime::$base::<M>::one(), limbs::zero()]
            }

            #[inline(always)]
            fn add<L: Lanes>([a, b]: &Self::Limbs<L>, [c, d]: &Self::Limbs<L>) -> Self::Limbs<L> {
                [limbs::add(a, c), limbs::add(b, d)]
            }

            #[inline(always)]
            fn sub<L: Lanes, const B: u32>(
                [a, b]: &Self::Limbs<L>,
                [c, d]: &Self::Limbs<L>,
            ) -> Self::Limbs<L> {
                [limbs::sub::<L, M, $limbs, B>(a, c), limbs::sub::<L, M, $limbs, B>(b, d)]
            }

            #[inline(always)]
            fn sub_both<L: Lanes, const B: u32>(
                [a, b]: &Self::Limbs<L>,
                [c, d]: &Self::Limbs<L>,
                [e, f]: &Self::Limbs<L>,
            ) -> Self::Limbs<L> {
                [
                    limbs::sub_both::<L, M, $limbs, B>(a, c, e),
                    limbs::sub_both::<L, M, $limbs, B>(b, d, f),
                ]
            }

            #[inline(always)]
            fn mul<L: Lanes, const A: u32>(
                left: &Self::Limbs<L>,
                right: &Self::Limbs<L>,
            ) -> Self::Limbs<L> {
                L::apart(Multiply::<M, L, $limbs, A> { left, right, field: PhantomData })
            }

            #[inline(always)]
            fn square<L: Lanes, const A: u32>(element: &Self::Limbs<L>) -> Self::Limbs<L> {
                const { assert!(4 * A as u64 * A as u64 <= prime::$base::<M>::PRODUCTS) };
                L::apart(Square::<M, L, $limbs, A> { element, field: PhantomData })
            }

            #[inline(always)]
            fn shrink<L: Lanes>([a, b]: &Self::Limbs<L>) -> Self::Limbs<L> {
                [limbs::shrink::<L, M, $limbs>(a), limbs::shrink::<L, M, $limbs>(b)]
            }

            /// `a − bi`, of which the negative of 0 is 2p.
            #[inline(always)]
            fn conjugate<L: Lanes>([a, b]: &Self::Limbs<L>) -> Self::Limbs<L> {
                [*a, limbs::sub::<L, M, $limbs, 2>(&limbs::zero(), b)]
            }

            fn conjugate_scalar(mut scalar: Fp2<C>) -> Fp2<C> {
                scalar.conjugate_in_place();
                scalar
            }

            #[inline(always)]
            fn select<L: Lanes>(
                mask: u8,
                [a, b]: &Self::Limbs<L>,
                [c, d]: &Self::Limbs<L>,
            ) -> Self::Limbs<L> {
                [limbs::select(mask, a, c), limbs::select(mask, b, d)]
            }

            #[inline(always)]
            fn pick<L: Lanes>(
                indices: L,
                [a, b]: &Self::Limbs<L>,
                [c, d]: &Self::Limbs<L>,
            ) -> Self::Limbs<L> {
                [limbs::pick(indices, a, c), limbs::pick(indices, b, d)]
            }

            #[inline(always)]
            fn is_blank<L: Lanes>([a, b]: &Self::Limbs<L>) -> u8 {
                limbs::is_blank(a) & limbs::is_blank(b)
            }

            #[inline(always)]
            fn is_zero<L: Lanes, const B: u32>([a, b]: &Self::Limbs<L>) -> u8 {
                match limbs::is_zero::<L, M, $limbs, B>(a) {
                    0 => 0,
                    zero => zero & limbs::is_zero::<L, M, $limbs, B>(b),
                }
            }

            #[inline(always)]
            fn load<L: Lanes>(packed: [&Self::Packed; 8]) -> Self::Limbs<L> {
                let (mut real, mut imaginary) = ([&packed[0][0]; 8], [&packed[0][1]; 8]);
                for lane in 1..8 {
                    (real[lane], imaginary[lane]) = (&packed[lane][0], &packed[lane][1]);
                }
                [prime::$base::<M>::load(real), prime::$base::<M>::load(imaginary)]
            }

            #[inline(always)]
            fn store<L: Lanes>([a, b]: &Self::Limbs<L>) -> [Self::Packed; 8] {
                let (real, imaginary) = (prime::$base::<M>::store(a), prime::$base::<M>::store(b));
                let mut packed = [[real[0]; 2]; 8];
                for lane in 0..8 {
                    packed[lane] = [real[lane], imaginary[lane]];
                }
                packed
            }

            #[inline(always)]
            fn enter<L: Lanes>(scalars: [&Fp2<C>; 8]) -> Self::Limbs<L> {
                let (mut real, mut imaginary) = ([&scalars[0].c0; 8], [&scalars[0].c1; 8]);
                for lane in 1..8 {
                    (real[lane], imaginary[lane]) = (&scalars[lane].c0, &scalars[lane].c1);
                }
                [prime::$base::<M>::enter(real), prime::$base::<M>::enter(imaginary)]
            }

            #[inline(always)]
            fn leave<L: Lanes>([a, b]: &Self::Limbs<L>) -> [Fp2<C>; 8] {
                let (real, imaginary) = (prime::$base::<M>::leave(a), prime::$base::<M>::leave(b));
                let mut scalars = [Fp2::new(real[0], imaginary[0]); 8];
                for lane in 1..8 {
                    scalars[lane] = Fp2::new(real[lane], imaginary[lane]);
                }
                scalars
            }
        }

        impl<C, M> RootField for QuadraticLanes<C, prime::$base<M>>
        where
            M: ark_ff::MontConfig<$words>,
            C: Fp2Config<Fp = <prime::$base<M> as LaneField>::Scalar>,
        {
            #[inline(always)]
            fn root<L: Lanes>(
                [a, b]: &Self::Limbs<L>,
                [half, _]: &Self::Limbs<L>,
            ) -> Self::Limbs<L> {
                let [a, b, half] = [*a, *b, *half].map(Eight::<prime::$base<M>, L, 2>::new);
                let [x, y] = roots::quadratic([a, b], half);
                [*x.limbs(), *y.limbs()]
            }
        }

        impl<C, M> TowerField for QuadraticLanes<C, prime::$base<M>>
        where
            M: ark_ff::MontConfig<$words>,
            C: Fp2Config<Fp = <prime::$base<M> as LaneField>::Scalar>,
        {
            #[inline(always)]
            fn dot<L: Lanes, const K: usize>(
                left: &[Self::Limbs<L>; K],
                right: &[Self::Limbs<L>; K],
            ) -> Self::Limbs<L> {
                let mut real = Product::zero();
                for k in 0..K {
                    real.accumulate(&left[k][1], &right[k][1]);
                }
                let mut real = real.negate::<M>();
                let mut imaginary = Product::zero();
                for k in 0..K {
                    real.accumulate(&left[k][0], &right[k][0]);
                }
                for k in 0..K {
                    imaginary.accumulate(&left[k][0], &right[k][1]);
                    imaginary.accumulate(&left[k][1], &right[k][0]);
                }
                [real.reduce::<M>(), imaginary.reduce::<M>()]
            }

            #[inline(always)]
            fn mul_by_small<L: Lanes, const N: u32>([a, b]: &Self::Limbs<L>) -> Self::Limbs<L> {
                [limbs::mul_small_sub::<L, M, $limbs, 2>(a, N, b), limbs::mul_small_add(b, N, a)]
            }
        }
    };
}

quadratic!(PrimeLanes, 4, 5);
quadratic!(WideLanes, 6, 8);
