//! Prime fields in Montgomery form.

use std::marker::PhantomData;

use ark_ff::{BigInt, Fp, MontBackend, MontConfig};
use zeroize::DefaultIsZeroes;

use super::{
    Apart, Eight, LIMB, LaneField, Lanes, QuarterField, RootField,
    eight::{FourierField, store_limbs},
    limbs::{
        add, is_blank, is_zero, join, mul, pick, reduced, select, shrink, splat, split, square,
        sub, sub_both, zero,
    },
    modulus::Prime,
    roots,
};

/// A prime field in five limbs, kept in four words of 64 bits.
pub struct PrimeLanes<C>(PhantomData<C>);

/// A prime field in eight limbs, kept as it is.
pub struct WideLanes<C>(PhantomData<C>);

/// What both kinds of fields have in common.
macro_rules! prime_field {
    ($limbs:literal) => {
        type Limbs<L: Lanes> = [L; $limbs];
        const PRODUCTS: u64 = 1 << (LIMB * $limbs - <C as Prime<$limbs>>::BITS);

        #[inline(always)]
        fn zero<L: Lanes>() -> [L; $limbs] {
            zero()
        }

        #[inline(always)]
        fn one<L: Lanes>() -> [L; $limbs] {
            reduced::<L, C, $limbs>(&mul::<L, C, $limbs>(
                &splat(&<C as Prime<$limbs>>::LEAVE),
                &splat(&<C as Prime<$limbs>>::ENTER),
            ))
        }

        #[inline(always)]
        fn add<L: Lanes>(left: &[L; $limbs], right: &[L; $limbs]) -> [L; $limbs] {
            add(left, right)
        }

        #[inline(always)]
        fn sub<L: Lanes, const B: u32>(left: &[L; $limbs], right: &[L; $limbs]) -> [L; $limbs] {
            sub::<L, C, $limbs, B>(left, right)
        }

        #[inline(always)]
        fn sub_both<L: Lanes, const B: u32>(
            left: &[L; $limbs],
            middle: &[L; $limbs],
            right: &[L; $limbs],
        ) -> [L; $limbs] {
            sub_both::<L, C, $limbs, B>(left, middle, right)
        }

        #[inline(always)]
        fn shrink<L: Lanes>(element: &[L; $limbs]) -> [L; $limbs] {
            shrink::<L, C, $limbs>(element)
        }

        #[inline(always)]
        fn conjugate<L: Lanes>(element: &[L; $limbs]) -> [L; $limbs] {
            *element
        }

        fn conjugate_scalar(scalar: Self::Scalar) -> Self::Scalar {
            scalar
        }

        #[inline(always)]
        fn select<L: Lanes>(mask: u8, yes: &[L; $limbs], no: &[L; $limbs]) -> [L; $limbs] {
            select(mask, yes, no)
        }

        #[inline(always)]
        fn pick<L: Lanes>(indices: L, low: &[L; $limbs], high: &[L; $limbs]) -> [L; $limbs] {
            pick(indices, low, high)
        }

        #[inline(always)]
        fn is_blank<L: Lanes>(element: &[L; $limbs]) -> u8 {
            is_blank(element)
        }

        #[inline(always)]
        fn is_zero<L: Lanes, const B: u32>(element: &[L; $limbs]) -> u8 {
            is_zero::<L, C, $limbs, B>(element)
        }
    };
}

impl<C: MontConfig<4>> LaneField for PrimeLanes<C> {
    type Scalar = Fp<MontBackend<C, 4>, 4>;
    type Packed = [u64; 4];
    const BLANK: [u64; 4] = [0; 4];

    prime_field!(5);

    #[inline(always)]
    fn mul<L: Lanes, const A: u32>(left: &[L; 5], right: &[L; 5]) -> [L; 5] {
        mul::<L, C, 5>(left, right)
    }

    #[inline(always)]
    fn square<L: Lanes, const A: u32>(element: &[L; 5]) -> [L; 5] {
        square::<L, C, 5>(element)
    }

    #[inline(always)]
    fn load<L: Lanes>(packed: [&[u64; 4]; 8]) -> [L; 5] {
        split(&L::load_rows4(packed))
    }

    #[inline(always)]
    fn store<L: Lanes>(element: &[L; 5]) -> [[u64; 4]; 8] {
        L::store_rows4(join(element))
    }

    #[inline(always)]
    fn enter<L: Lanes>(scalars: [&Self::Scalar; 8]) -> [L; 5] {
        let words = L::load_rows4(scalars.map(|scalar| &(scalar.0).0));
        mul::<L, C, 5>(&split(&words), &splat(&<C as Prime<5>>::ENTER))
    }

    #[inline(always)]
    fn leave<L: Lanes>(element: &[L; 5]) -> [Self::Scalar; 8] {
        let scalars = mul::<L, C, 5>(element, &splat(&<C as Prime<5>>::LEAVE));
        let words = L::store_rows4(join(&reduced::<L, C, 5>(&scalars)));
        words.map(|words| Fp::new_unchecked(BigInt(words)))
    }
}

/// `(p − 3)/4` for p that is 3 modulo 4, which is p without its two lowest bits.
const fn quarter<const W: usize>(modulus: &[u64; W]) -> [u64; 6] {
    let mut quarter = [0; 6];
    let mut i = 0;
    while i < W {
        quarter[i] = modulus[i] >> 2;
        if i + 1 < W {
            quarter[i] |= modulus[i + 1] << 62;
        }
        i += 1;
    }
    quarter
}

macro_rules! roots {
    ($field:ident, $words:literal) => {
        impl<C: MontConfig<$words>> QuarterField for $field<C> {
            const QUARTER: [u64; 6] = quarter(&C::MODULUS.0);
        }

        impl<C: MontConfig<$words>> RootField for $field<C> {
            #[inline(always)]
            fn root<L: Lanes>(element: &Self::Limbs<L>, _: &Self::Limbs<L>) -> Self::Limbs<L> {
                const { assert!(C::MODULUS.0[0] & 3 == 3, "no square roots by one power") };
                *roots::prime::<Self, L>(Eight::new(*element)).limbs()
            }
        }
    };
}

roots!(PrimeLanes, 4);
roots!(WideLanes, 6);

/// A cache line.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub struct Line([u64; 8]);

impl DefaultIsZeroes for Line {}

impl<C: MontConfig<4>> FourierField for PrimeLanes<C> {
    type Constant = [u64; 5];
    type Block = [Line; 5];
    const EMPTY: [Line; 5] = [Line([0; 8]); 5];

    #[inline(always)]
    fn splat<L: Lanes>(constant: &[u64; 5]) -> [L; 5] {
        splat(constant)
    }

    #[inline(always)]
    fn constants<L: Lanes>(element: &[L; 5]) -> [[u64; 5]; 8] {
        let limbs = store_limbs(*element);
        let mut constants = [[0; 5]; 8];
        for (lane, constant) in constants.iter_mut().enumerate() {
            for i in 0..5 {
                constant[i] = limbs[i][lane];
            }
        }
        constants
    }

    #[inline(always)]
    fn read<L: Lanes>(block: &[Line; 5]) -> [L; 5] {
        let mut limbs = zero();
        for i in 0..5 {
            limbs[i] = L::load(&block[i].0);
        }
        limbs
    }

    #[inline(always)]
    fn write<L: Lanes>(element: &[L; 5]) -> [Line; 5] {
        let mut block = Self::EMPTY;
        for i in 0..5 {
            block[i] = Line(element[i].store());
        }
        block
    }

    #[inline(always)]
    fn transpose<L: Lanes>(mut elements: [[L; 5]; 8]) -> [[L; 5]; 8] {
        for i in 0..5 {
            let mut limb = [elements[0][i]; 8];
            for vector in 1..8 {
                limb[vector] = elements[vector][i];
            }
            let limb = L::transpose(limb);
            for vector in 0..8 {
                elements[vector][i] = limb[vector];
            }
        }
        elements
    }

    #[inline(always)]
    fn enter_plain<L: Lanes>(scalars: [&Self::Scalar; 8]) -> [L; 5] {
        split(&L::load_rows4(scalars.map(|scalar| &(scalar.0).0)))
    }

    #[inline(always)]
    fn leave_plain<L: Lanes>(element: &[L; 5]) -> [Self::Scalar; 8] {
        let words = L::store_rows4(join(&reduced::<L, C, 5>(element)));
        words.map(|words| Fp::new_unchecked(BigInt(words)))
    }
}

/// A product in eight limbs.
struct Multiply<'a, C, L> {
    left: &'a [L; 8],
    right: &'a [L; 8],
    field: PhantomData<C>,
}

impl<C: Prime<8>, L: Lanes> Apart<L> for Multiply<'_, C, L> {
    type Output = [L; 8];

    #[inline(always)]
    fn run(self) -> [L; 8] {
        mul::<L, C, 8>(self.left, self.right)
    }
}

/// A square in eight limbs.
struct Square<'a, C, L> {
    element: &'a [L; 8],
    field: PhantomData<C>,
}

impl<C: Prime<8>, L: Lanes> Apart<L> for Square<'_, C, L> {
    type Output = [L; 8];

    #[inline(always)]
    fn run(self) -> [L; 8] {
        square::<L, C, 8>(self.element)
    }
}

impl<C: MontConfig<6>> LaneField for WideLanes<C> {
    type Scalar = Fp<MontBackend<C, 6>, 6>;
    type Packed = [u64; 8];
    const BLANK: [u64; 8] = [0; 8];

    prime_field!(8);

    #[inline(always)]
    fn mul<L: Lanes, const A: u32>(left: &[L; 8], right: &[L; 8]) -> [L; 8] {
        L::apart(Multiply::<C, L> { left, right, field: PhantomData })
    }

    #[inline(always)]
    fn square<L: Lanes, const A: u32>(element: &[L; 8]) -> [L; 8] {
        L::apart(Square::<C, L> { element, field: PhantomData })
    }

    #[inline(always)]
    fn load<L: Lanes>(packed: [&[u64; 8]; 8]) -> [L; 8] {
        let mut rows = zero();
        for lane in 0..8 {
            rows[lane] = L::load(packed[lane]);
        }
        L::transpose(rows)
    }

    #[inline(always)]
    fn store<L: Lanes>(element: &[L; 8]) -> [[u64; 8]; 8] {
        store_limbs(L::transpose(*element))
    }

    #[inline(always)]
    fn enter<L: Lanes>(scalars: [&Self::Scalar; 8]) -> [L; 8] {
        let mut rows = zero();
        for lane in 0..8 {
            let [w0, w1, w2, w3, w4, w5] = (scalars[lane].0).0;
            rows[lane] = L::load(&[w0, w1, w2, w3, w4, w5, 0, 0]);
        }
        let [w0, w1, w2, w3, w4, w5, ..] = L::transpose(rows);
        mul::<L, C, 8>(&split(&[w0, w1, w2, w3, w4, w5]), &splat(&<C as Prime<8>>::ENTER))
    }

    #[inline(always)]
    fn leave<L: Lanes>(element: &[L; 8]) -> [Self::Scalar; 8] {
        let scalars = mul::<L, C, 8>(element, &splat(&<C as Prime<8>>::LEAVE));
        let [w0, w1, w2, w3, w4, w5] = join(&reduced::<L, C, 8>(&scalars));
        let rows = store_limbs(L::transpose([w0, w1, w2, w3, w4, w5, L::splat(0), L::splat(0)]));
        rows.map(|[w0, w1, w2, w3, w4, w5, ..]| Fp::new_unchecked(BigInt([w0, w1, w2, w3, w4, w5])))
    }
}
