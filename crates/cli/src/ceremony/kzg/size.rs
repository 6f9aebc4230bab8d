//! The sizes of transcripts.

use ::ceremony::kzg::SIZES;

/// The sizes of a ceremony.
#[derive(clap::Args)]
pub struct SizeArgs {
    /// The number of powers in G1 and in G2 of each transcript [default: those of Ethereum].
    #[arg(long, value_name = "G1:G2", value_delimiter = ',', value_parser = size)]
    sizes: Vec<Size>,
}

/// The powers of one transcript.
#[derive(Clone, Copy)]
struct Size(usize, usize);

fn size(text: &str) -> Result<Size, String> {
    let numbers = text.split_once(':');
    // Whatever is wrong with them, they are no numbers.
    let numbers = numbers.and_then(|(g1, g2)| Some(Size(g1.parse().ok()?, g2.parse().ok()?)));
    numbers.ok_or_else(|| "write two numbers with a colon between them, such as 4096:65".to_owned())
}

impl SizeArgs {
    /// The powers in G1 and G2.
    pub fn sizes(&self) -> Vec<(usize, usize)> {
        match self.sizes.is_empty() {
            true => SIZES.to_vec(),
            false => self.sizes.iter().map(|Size(g1, g2)| (*g1, *g2)).collect(),
        }
    }
}
