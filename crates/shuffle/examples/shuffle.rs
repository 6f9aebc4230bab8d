//! A mixer moves a list of ciphertexts, and anybody checks that it did: `cargo run -p subrosa-shuffle --example shuffle`
use algebra::{Embed, Ristretto255 as G, Scalar};
use getrandom::SysRng;
use rand_core::UnwrapErr;
use shuffle::{Column, Mix, MixClaim, MixContext, SecretKey, tw::Generators, verify_mixes};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rng = UnwrapErr(SysRng);
    let secret = SecretKey::<G>::generate(&mut rng);
    let key = secret.public_key();
    let votes = ["red", "green", "blue"].map(|vote| G::embed(vote.as_bytes()));
    let votes = votes.into_iter().flatten();
    let ciphertexts: Vec<_> =
        votes.map(|vote| key.encrypt(&vote, &Scalar::random(&mut rng))).collect();
    let input = vec![Column::new(&ciphertexts)];

    let generators = Generators::<G>::derive(ciphertexts.len());
    let context = MixContext { study: b"example", mix: b"1", mixer: 1, position: 1 };
    let mix = Mix::new(&key, &input, &generators, &context, &mut rng)?;

    verify_mixes(&key, &input, &[MixClaim { context, mix: &mix }], &generators)?;
    for ciphertext in mix.outputs.iter().flat_map(Column::ciphertexts) {
        let vote = secret.decrypt(&ciphertext).extract().ok_or("no vote")?;
        println!("{}", String::from_utf8_lossy(&vote));
    }
    Ok(())
}
