//! The seeds of the fuzz targets, as plain tests. The targets panic if a property does not hold.

use integration_tests::fuzzed::{ALL, seeds};

#[test]
fn every_seed_is_read_without_a_fault() {
    for (target, reads) in ALL {
        let seeds = seeds(target).expect("a folder of seeds");
        assert!(seeds.len() > 5, "{target} has {} seeds", seeds.len());
        for seed in seeds.values() {
            reads(seed);
            // Truncated and repeated seeds are useful inputs too.
            reads(&seed[..seed.len() / 2]);
            reads(&seed.repeat(2));
        }
    }
}

#[test]
fn every_target_is_one_that_can_be_run() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("the manifest of the targets");
    let listed = manifest.matches("[[bin]]").count();
    assert_eq!(listed, ALL.len());
    for (target, _) in ALL {
        assert!(
            manifest.contains(&format!("name = \"{target}\"")),
            "{target}"
        );
    }
}
