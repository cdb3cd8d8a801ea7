// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Converts texts of advice to the language of a program: each instruction gets its name in that language.

use bcu_program::Kind;

/// The placeholders in texts of advice, with their names in PTX, BCU assembly and vISA.
const WORDS: [(&str, [&str; 3]); 6] = [
    ("{barrier}", ["`bar.sync` (`__syncthreads()`)", "`BAR.SYNC`", "`nbarrier.signal` and `nbarrier.wait`"]),
    ("{warp_barrier}", ["`bar.warp.sync` (`__syncwarp()`)", "`WARPSYNC`", "a barrier"]),
    ("{cluster_arrive}", ["`barrier.cluster.arrive`", "`CLUSTER.ARRIVE`", "an arrival at the cluster"]),
    ("{cluster_wait}", ["`barrier.cluster.wait`", "`CLUSTER.WAIT`", "a wait at the cluster"]),
    (
        "{cluster_barrier}",
        ["`barrier.cluster` (`cluster.sync()`)", "`CLUSTER.ARRIVE` and `CLUSTER.WAIT`", "the barrier of the cluster"],
    ),
    ("{reduction}", ["`barrier.red`", "`BAR.RED`", "a reduction"]),
];

/// The advice `text`, with the instruction names of the language `kind`.
pub fn advice(text: &str, kind: Kind) -> String {
    let language = match kind {
        Kind::Ptx => 0,
        Kind::Bcu => 1,
        Kind::Visa => 2,
    };
    WORDS.iter().fold(text.to_string(), |text, (key, words)| text.replace(key, words[language]))
}

/// Advice for programs in PTX or BCU assembly, for the documentation page.
pub fn any_language(text: &str) -> String {
    WORDS.iter().fold(text.to_string(), |text, (key, [ptx, bcu, _])| text.replace(key, &format!("{ptx} or {bcu}")))
}

#[cfg(test)]
mod tests {
    use super::super::CODES;
    use super::*;

    #[test]
    fn advice_speaks_the_language_of_the_program() {
        for code in CODES {
            let (ptx, bcu) = (advice(code.help, Kind::Ptx), advice(code.help, Kind::Bcu));
            assert!(!ptx.contains('{') && !bcu.contains('{') && !any_language(code.help).contains('{'), "{}", code.help);
            let foreign = ["BAR.", "CLUSTER.", "WARPSYNC", "vISA", "lsc_fence", "nbarrier", "machine file"];
            assert!(!foreign.iter().any(|word| ptx.contains(word)), "{}: {ptx}", code.name);
        }
    }
}
