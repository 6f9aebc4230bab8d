//! Operators between integers, borrowed or not, and the integers of the machine. As in `rug`, two
//! borrowed operands give an [`Incomplete`] result.

use std::{
    cmp::Ordering,
    iter::{Product, Sum},
    ops::{
        Add, AddAssign, Mul, MulAssign, Neg, Rem, RemAssign, Shl, ShlAssign, Shr, ShrAssign, Sub,
        SubAssign,
    },
};

use dashu_int::IBig;

use super::{Incomplete, Integer};

macro_rules! operators {
    ($($trait:ident $operator:ident $assigning:ident $assign:ident;)*) => {$(
        impl $trait<&Integer> for &Integer {
            type Output = Incomplete;
            fn $operator(self, right: &Integer) -> Incomplete {
                Incomplete(Integer((&self.0).$operator(&right.0)))
            }
        }

        impl $trait<Integer> for &Integer {
            type Output = Integer;
            fn $operator(self, right: Integer) -> Integer {
                Integer((&self.0).$operator(right.0))
            }
        }

        impl $trait<&Integer> for Integer {
            type Output = Integer;
            fn $operator(self, right: &Integer) -> Integer {
                Integer(self.0.$operator(&right.0))
            }
        }

        impl $trait<Integer> for Integer {
            type Output = Integer;
            fn $operator(self, right: Integer) -> Integer {
                Integer(self.0.$operator(right.0))
            }
        }

        impl $trait<Incomplete> for Integer {
            type Output = Integer;
            fn $operator(self, right: Incomplete) -> Integer {
                self.$operator(right.0)
            }
        }

        impl $trait<Integer> for Incomplete {
            type Output = Integer;
            fn $operator(self, right: Integer) -> Integer {
                self.0.$operator(right)
            }
        }

        impl $assigning<&Integer> for Integer {
            fn $assign(&mut self, right: &Integer) {
                *self = std::mem::take(self).$operator(right);
            }
        }

        impl $assigning<Integer> for Integer {
            fn $assign(&mut self, right: Integer) {
                *self = std::mem::take(self).$operator(right);
            }
        }

        impl $assigning<Incomplete> for Integer {
            fn $assign(&mut self, right: Incomplete) {
                *self = std::mem::take(self).$operator(right.0);
            }
        }
    )*};
}

operators! {
    Add add AddAssign add_assign;
    Sub sub SubAssign sub_assign;
    Mul mul MulAssign mul_assign;
    Rem rem RemAssign rem_assign;
}

macro_rules! with_primitive {
    ($primitive:ty; $($trait:ident $operator:ident $assigning:ident $assign:ident;)*) => {$(
        impl $trait<$primitive> for &Integer {
            type Output = Incomplete;
            fn $operator(self, right: $primitive) -> Incomplete {
                self.$operator(&Integer::from(right))
            }
        }

        impl $trait<&$primitive> for &Integer {
            type Output = Incomplete;
            fn $operator(self, right: &$primitive) -> Incomplete {
                self.$operator(*right)
            }
        }

        impl $trait<$primitive> for Integer {
            type Output = Integer;
            fn $operator(self, right: $primitive) -> Integer {
                self.$operator(Integer::from(right))
            }
        }

        impl $trait<&Integer> for $primitive {
            type Output = Incomplete;
            fn $operator(self, right: &Integer) -> Incomplete {
                (&Integer::from(self)).$operator(right)
            }
        }

        impl $trait<Integer> for $primitive {
            type Output = Integer;
            fn $operator(self, right: Integer) -> Integer {
                Integer::from(self).$operator(right)
            }
        }

        impl $assigning<$primitive> for Integer {
            fn $assign(&mut self, right: $primitive) {
                self.$assign(Integer::from(right));
            }
        }
    )*};
}

macro_rules! primitives {
    ($($primitive:ty)*) => {$(
        impl From<$primitive> for Integer {
            fn from(value: $primitive) -> Self {
                Self(IBig::from(value))
            }
        }

        impl PartialEq<$primitive> for Integer {
            fn eq(&self, other: &$primitive) -> bool {
                self.0 == IBig::from(*other)
            }
        }

        impl PartialEq<Integer> for $primitive {
            fn eq(&self, other: &Integer) -> bool {
                other == self
            }
        }

        impl PartialOrd<$primitive> for Integer {
            fn partial_cmp(&self, other: &$primitive) -> Option<Ordering> {
                self.0.partial_cmp(&IBig::from(*other))
            }
        }

        with_primitive! {
            $primitive;
            Add add AddAssign add_assign;
            Sub sub SubAssign sub_assign;
            Mul mul MulAssign mul_assign;
            Rem rem RemAssign rem_assign;
        }
    )*};
}

primitives!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! shifts {
    ($($count:ty)*) => {$(
        impl Shl<$count> for &Integer {
            type Output = Incomplete;
            fn shl(self, bits: $count) -> Incomplete {
                Incomplete(self.clone() << bits)
            }
        }

        impl Shl<$count> for Integer {
            type Output = Integer;
            fn shl(self, bits: $count) -> Integer {
                // Neither an integer nor memory has as many bits.
                Integer(shifted(self.0, i64::try_from(bits).unwrap_or(i64::MAX)))
            }
        }

        impl Shr<$count> for &Integer {
            type Output = Incomplete;
            fn shr(self, bits: $count) -> Incomplete {
                Incomplete(self.clone() >> bits)
            }
        }

        impl Shr<$count> for Integer {
            type Output = Integer;
            fn shr(self, bits: $count) -> Integer {
                // No integer has as many bits: nothing is left of it in either case.
                Integer(shifted(self.0, -i64::try_from(bits).unwrap_or(i64::MAX)))
            }
        }

        impl ShlAssign<$count> for Integer {
            fn shl_assign(&mut self, bits: $count) {
                *self = std::mem::take(self) << bits;
            }
        }

        impl ShrAssign<$count> for Integer {
            fn shr_assign(&mut self, bits: $count) {
                *self = std::mem::take(self) >> bits;
            }
        }
    )*};
}

shifts!(u32 i32 usize);

/// Shifted to the left, or by a negative number of bits to the right, towards minus infinity.
fn shifted(value: IBig, bits: i64) -> IBig {
    match usize::try_from(bits) {
        Ok(bits) => value << bits,
        Err(_) => value >> bits.unsigned_abs() as usize,
    }
}

impl Neg for Integer {
    type Output = Integer;
    fn neg(self) -> Integer {
        Integer(-self.0)
    }
}

impl Neg for &Integer {
    type Output = Incomplete;
    fn neg(self) -> Incomplete {
        Incomplete(-self.clone())
    }
}

impl Sum for Integer {
    fn sum<I: Iterator<Item = Integer>>(terms: I) -> Integer {
        terms.fold(Integer::new(), |sum, term| sum + term)
    }
}

impl<'a> Sum<&'a Integer> for Integer {
    fn sum<I: Iterator<Item = &'a Integer>>(terms: I) -> Integer {
        terms.fold(Integer::new(), |sum, term| sum + term)
    }
}

impl Product for Integer {
    fn product<I: Iterator<Item = Integer>>(factors: I) -> Integer {
        factors.fold(Integer::from(1), |product, factor| product * factor)
    }
}

impl<'a> Product<&'a Integer> for Integer {
    fn product<I: Iterator<Item = &'a Integer>>(factors: I) -> Integer {
        factors.fold(Integer::from(1), |product, factor| product * factor)
    }
}
