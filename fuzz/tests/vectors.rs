//! Every target over every vector and over inputs changed from them, without a fuzzer: the same ones every time.

use std::panic::catch_unwind;

use urlset_fuzz::{TARGETS, Target, vectors};

/// Changed inputs of each target in the short test; the long one begins where it ends.
const SHORT_TEST: usize = 400;
const LONG_TEST: usize = 3_000;
/// Longer inputs take long and show nothing else.
const LONGEST: usize = 8_192;
/// Of a target that fails no more inputs are shown.
const SHOWN: usize = 5;

#[test]
fn vectors_and_a_few_inputs_changed_from_them() {
    run_targets(|seeds, words| seeds.iter().cloned().chain(changed(seeds, words).take(SHORT_TEST)).collect());
}

#[test]
#[ignore = "takes long: `make test-long` runs it"]
fn many_inputs_changed_from_vectors() {
    run_targets(|seeds, words| changed(seeds, words).take(LONG_TEST).skip(SHORT_TEST).collect());
}

/// Runs every target on the inputs that are made of its seeds and of the words of the dictionary.
fn run_targets(inputs: impl Fn(&[Vec<u8>], &[Vec<u8>]) -> Vec<Vec<u8>> + Sync) {
    let (vectors, words) = (vectors(), words());
    std::thread::scope(|scope| {
        for target in &TARGETS {
            scope.spawn(|| {
                let seeds: Vec<Vec<u8>> = vectors.iter().flat_map(|document| (target.seeds)(document)).collect();
                let failed = inputs(&seeds, &words).iter().filter(|input| !holds(target, input)).take(SHOWN).count();
                assert_eq!(failed, 0, "{}", target.name);
            });
        }
    });
}

fn holds(target: &Target, input: &[u8]) -> bool {
    let held = catch_unwind(|| (target.run)(input)).is_ok();
    if !held {
        eprintln!("{} does not hold for b\"{}\"", target.name, input.escape_ascii());
    }
    held
}

/// Inputs changed from the seeds, without end.
fn changed(seeds: &[Vec<u8>], words: &[Vec<u8>]) -> impl Iterator<Item = Vec<u8>> {
    let short: Vec<_> = seeds.iter().filter(|seed| seed.len() < LONGEST).collect();
    let mut draw = Draw(0x2545_f491_4f6c_dd1d);
    std::iter::repeat_with(move || {
        let mut input = short[draw.below(short.len())].clone();
        for _ in 0..=draw.below(4) {
            let other = short[draw.below(short.len())];
            change(&mut input, other, words, &mut draw);
        }
        input.truncate(LONGEST);
        input
    })
}

/// A small generator of its own keeps the cases the same for ever.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }
}

/// Does one of the things to an input that fuzzers do.
fn change(input: &mut Vec<u8>, other: &[u8], words: &[Vec<u8>], draw: &mut Draw) {
    let at = draw.below(input.len() + 1);
    let end = (at + draw.below(40)).min(input.len());
    match draw.below(6) {
        0 if at < input.len() => input[at] = draw.below(256) as u8,
        1 => drop(input.drain(at..end)),
        2 => {
            let part = input[at..end].to_vec();
            let to = draw.below(input.len() + 1);
            input.splice(to..to, part);
        }
        3 => {
            let from = draw.below(other.len() + 1);
            let to = (from + draw.below(200)).min(other.len());
            input.splice(at..end, other[from..to].iter().copied());
        }
        4 => input.truncate(at),
        _ => drop(input.splice(at..at, words[draw.below(words.len())].iter().copied())),
    }
}

/// The words of libFuzzer's dictionary.
fn words() -> Vec<Vec<u8>> {
    let quoted = include_str!("../sitemap.dict").lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
    quoted.map(unescaped).collect()
}

fn unescaped(quoted: &str) -> Vec<u8> {
    let mut bytes = quoted.bytes();
    let mut word = Vec::new();
    while let Some(byte) = bytes.next() {
        word.push(match byte {
            b'\\' => match bytes.next().expect("what is escaped") {
                b'x' => {
                    let digits = [bytes.next(), bytes.next()].map(|digit| digit.expect("two digits"));
                    let digits = std::str::from_utf8(&digits).expect("ASCII");
                    u8::from_str_radix(digits, 16).expect("two digits")
                }
                escaped => escaped,
            },
            byte => byte,
        });
    }
    word
}
