//! One party proves to another that it knows x and y with x y = 91: `cargo run -p subrosa-vole --example prove`
use std::thread;

use getrandom::SysRng;
use rand_core::UnwrapErr;
use vole::{Field, Fp, ParameterSet, Prover, Session, Verifier, VoleError};

/// What both parties compute. The verifier's values are not read.
fn statement<S: Session>(session: &mut S, factors: [u64; 2]) -> Result<(), VoleError> {
    let factors: Vec<Field<S>> = Field::commit(session, 2, || factors.map(Fp::from).to_vec())?;
    let [x, y] = factors[..] else { unreachable!("two were committed") };
    let products = Field::mul(session, &[[x, y]])?;
    products.iter().try_for_each(|xy| xy.shift(session, -Fp::from(91)).assert_zero(session))?;
    session.check().map(drop)
}

fn main() -> Result<(), VoleError> {
    let (mut left, mut right) = wire::Channel::pair();
    let (set, about) = (ParameterSet::default(), b"a factorisation");
    thread::scope(|scope| {
        scope.spawn(move || {
            let rng = &mut UnwrapErr(SysRng);
            Prover::run(&mut left, set, about, rng, |prover| statement(prover, [7, 13]))
        });
        let rng = &mut UnwrapErr(SysRng);
        Verifier::run(&mut right, set, about, rng, |verifier| statement(verifier, [0, 0]))
    })?;
    println!("the prover knows factors of 91");
    Ok(())
}
