//! `peer groups`: operations of BN254 by halo2curves, one thread, in the rows of `subrosa-lab bench
//! groups`. Its tables for fixed bases are for the generator's multiples only and are left out.

use std::{env, hint::black_box, process::ExitCode, time::Instant};

use cpu_time::ProcessTime;
use halo2curves::{
    bn256::{Bn256, Fr, G1, G1Affine, G2, G2Affine},
    ff::{Field, PrimeField},
    fft::best_fft,
    group::{Curve, Group},
    msm::msm_best,
    pairing::{MillerLoopResult, MultiMillerLoop},
};
use serde_json::{Value, json};

const COUNT: usize = 1_000;
const PAIRS: usize = 100;
const LARGE: usize = 1 << 16;
const TRANSFORMED: [usize; 2] = [1 << 16, 1 << 20];

struct Inputs {
    g1: Vec<G1Affine>,
    g2: Vec<G2Affine>,
    scalars: Vec<Fr>,
}

impl Inputs {
    /// Scalars of full size, and the generators' multiples by them.
    fn new() -> Self {
        let step = Fr::from(7).invert().unwrap_or(Fr::ONE);
        let scalars: Vec<Fr> = std::iter::successors(Some(step), |last| Some(last.square() + step))
            .take(LARGE)
            .collect();
        let g1: Vec<G1> = scalars.iter().map(|scalar| G1::generator() * scalar).collect();
        let g2: Vec<G2> = scalars.iter().map(|scalar| G2::generator() * scalar).collect();
        Self { g1: affine1(&g1), g2: affine2(&g2), scalars }
    }
}

fn affine1(points: &[G1]) -> Vec<G1Affine> {
    let mut affine = vec![G1Affine::default(); points.len()];
    G1::batch_normalize(points, &mut affine);
    affine
}

fn affine2(points: &[G2]) -> Vec<G2Affine> {
    let mut affine = vec![G2Affine::default(); points.len()];
    G2::batch_normalize(points, &mut affine);
    affine
}

fn row<T>(name: &str, count: usize, work: impl FnOnce() -> T) -> Value {
    let (clock, cpu) = (Instant::now(), ProcessTime::now());
    black_box(work());
    let (wall_ms, cpu_ms) =
        (clock.elapsed().as_secs_f64() * 1e3, cpu.elapsed().as_secs_f64() * 1e3);
    let name = format!("halo2curves BN254, {name}");
    json!({ "name": name, "count": count, "wall_ms": wall_ms, "cpu_ms": cpu_ms })
}

fn groups() -> Vec<Value> {
    let Inputs { g1, g2, scalars } = &Inputs::new();
    let mut rows = vec![
        row("G1 scale", COUNT, || {
            let scaled: Vec<G1> = g1.iter().zip(scalars).take(COUNT).map(|(p, s)| p * s).collect();
            affine1(&scaled)
        }),
        row("G2 scale", COUNT, || {
            let scaled: Vec<G2> = g2.iter().zip(scalars).take(COUNT).map(|(p, s)| p * s).collect();
            affine2(&scaled)
        }),
        row("G1 add", COUNT, || g1.iter().take(COUNT).fold(G1::identity(), |sum, p| sum + p)),
        row("G2 add", COUNT, || g2.iter().take(COUNT).fold(G2::identity(), |sum, p| sum + p)),
        row("pairing product", PAIRS, || {
            let pairs: Vec<_> = g1.iter().zip(g2).take(PAIRS).collect();
            Bn256::multi_miller_loop(&pairs).final_exponentiation()
        }),
    ];
    for count in [COUNT, 10_000, LARGE] {
        rows.push(row("G1 msm", count, || msm_best(&scalars[..count], &g1[..count])));
        rows.push(row("G2 msm", count, || msm_best(&scalars[..count], &g2[..count])));
    }
    for size in TRANSFORMED {
        let further = Fr::S - size.trailing_zeros();
        let root = (0..further).fold(Fr::ROOT_OF_UNITY, |root, _| root.square());
        let mut values: Vec<Fr> = scalars.iter().copied().cycle().take(size).collect();
        let transform = || best_fft(&mut values, root, size.trailing_zeros());
        rows.push(row("scalar transform", size, transform));
    }
    rows
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments != ["groups"] {
        eprintln!("usage: peer groups");
        return ExitCode::from(2);
    }
    if let Err(error) = rayon::ThreadPoolBuilder::new().num_threads(1).build_global() {
        eprintln!("{error}");
        return ExitCode::from(2);
    }
    println!("{}", json!({ "bench": "groups", "params": {}, "rows": groups(), "sizes": {} }));
    ExitCode::SUCCESS
}
