// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every scenario on every configuration that it names, and the check that the schema file is up to date.

use bcu_isa::diag::Diagnostic;
use bcu_shard::Shard;
use bcu_tb::regress::join::Join;
use bcu_tb::regress::plan::{Engine, Plan};
use bcu_tb::regress::result::Done;
use bcu_tb::regress::run::{run, Progress};
use bcu_tb::regress::Part;
use bcu_tb::scenario::file::Scenario;
use bcu_tb::scenario::schema;
use bcu_tb::scenario::text::{compiled_in_program, Suite};
use std::path::Path;
use std::sync::Mutex;

/// The results of the parts.
#[derive(Default)]
struct Results(Mutex<Vec<Done>>);

impl Progress for Results {
    fn started(&self, _: &Part) {}

    fn ended(&self, _: &Part, done: &Done, _: bool) {
        self.0.lock().unwrap().push(done.clone());
    }

    fn skipped(&self, _: &Part) {}

    fn prevented(&self, part: &Part, why: String) {
        panic!("{}: {why}", part.test.name);
    }
}

/// Runs the scenarios whose names contain `filter`.
fn run_all(filter: &str, engine: Engine) {
    let (filter, directory) = (filter.to_string(), std::env::temp_dir());
    let (scenarios, shard) = (Suite::compiled_in(), Shard::WHOLE);
    let plan =
        Plan { filter, seed: None, cycles: 0, coverage: false, jobs: 0, engine, shard, edited: None, scenarios, directory };
    let done = Results::default();
    run(&plan, &[], &done).unwrap();
    let results = Join::new(&plan).all(done.0.into_inner().unwrap());
    assert!(!results.is_empty());
    let failures =
        results.iter().filter_map(|r| Some(format!("{}: {}\nrepeat with: {}", r.name, r.failure.as_ref()?, r.command)));
    let failures: Vec<String> = failures.collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n\n"));
}

/// Runs on machine code, which lockstep compares with the rust-hdl block. `bcu regress scenario` runs all scenarios on the block itself.
#[test]
fn every_scenario_comes_out_as_it_says() {
    run_all("scenario/", Engine::Compiled);
}

#[test]
fn scenarios_of_reductions_come_out_so_on_the_block_as_well() {
    run_all("scenario/reduce/", Engine::All);
}

#[test]
fn the_schema_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenario.schema.json");
    if std::env::var_os("BCU_BLESS").is_some() {
        std::fs::write(&path, schema()).unwrap();
    }
    let fresh = std::fs::read_to_string(&path).unwrap() == schema();
    assert!(fresh, "tb/scenario.schema.json is stale: run this test with BCU_BLESS=1");
}

#[test]
fn every_scenario_file_is_compiled_in() {
    let compiled: Vec<String> = Suite::compiled_in().entries.iter().map(|entry| entry.name.clone()).collect();
    for feature in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")).unwrap() {
        for file in std::fs::read_dir(feature.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let part = |p: Option<&std::ffi::OsStr>| p.unwrap_or_default().to_string_lossy().into_owned();
            let name = format!("{}/{}", part(path.parent().and_then(Path::file_name)), part(path.file_stem()));
            assert!(compiled.contains(&name), "{name} is not a scenario of the program: `.toml` in a folder of its feature");
        }
    }
}

fn parse(text: &str) -> Result<Scenario, Diagnostic> {
    Scenario::parse("d.toml", text, &compiled_in_program)
}

/// A correct scenario, to which the tests add lines that make it incorrect.
const RIGHT: &str = "description = 'd'\nconfigs = ['tiny']\nprogram = \"\"\"\n.warps 0\nBAR.SYNC 0x1, 0x8\n.warps 1\nBAR.ARV 0x1, 0x8\n\"\"\"\n\
                     [expect]\nverdict = 'completed'\ngenerations = [{ id = 1, arrived = [0, 1], released = [0] }]\n";

#[test]
fn a_wrong_expectation_fails() {
    let fails = |text: &str| {
        bcu_tb::scenario::run(&parse(text).unwrap(), "tiny", None, None, Path::new(".")).err().map(|e| e.to_string())
    };
    assert_eq!(fails(RIGHT), None);
    for (right, wrong, part) in [
        ("'completed'", "'hung'", "expected the verdict `hung`, got `completed`\n"),
        ("id = 1", "id = 2", "expected CTA, barrier and number (0, 2, 1), got (0, 1, 1)"),
        ("released = [0]", "released = [0, 1]", "expected released [0, 1], got [0]"),
        ("arrived = [0, 1]", "arrived = [0]", "expected arrived [0], got [0, 1]"),
        ("generations = [{", "generations = [{ id = 1 }, {", "generation: expected 2, got 1"),
        ("[expect]", "[expect]\nfaults = [{ code = 'double_arrival' }]", "fault: expected 1, got 0"),
        ("[expect]", "[expect]\nmax_cycles = 5", "expected at most 5 cycles"),
        ("[expect]", "[expect]\nblocked = [{ warp = 0, id = 1 }]", "blocked warp: expected 1, got 0"),
        ("[expect]", "[expect]\ncircle = 2", "expected a circular wait of 2"),
    ] {
        let why = fails(&RIGHT.replace(right, wrong)).unwrap_or_default();
        assert!(why.contains(part), "{wrong}: expected `{part}` in: {why}");
    }
}

/// A program with a fault in its fourth line, which is the seventh of the scenario.
const FAULT: &str =
    "description = 'd'\nconfigs = ['tiny']\nprogram = '''\n.cta_warps 2\n.warps 0-1\nBAR.SYNC 0x1\nBAR.SYNC 0x7\nEXIT\n'''\n\
                     [expect]\nverdict = 'completed'\n";

#[test]
fn an_unexpected_verdict_has_its_cause_with_the_line_of_the_file() {
    let fails = |text: &str| {
        bcu_tb::scenario::run(&parse(text).unwrap(), "tiny", None, None, Path::new(".")).err().map(|e| e.to_string())
    };
    let why = fails(FAULT).unwrap();
    let first = why.lines().next().unwrap();
    assert!(first.starts_with("expected the verdict `completed`, got `fault`: fault `id_out_of_range` in cycle "), "{first}");
    assert!(first.contains(", CTA 0 warp 0 (line 7: BAR.SYNC 0x7): "), "{first}");
    assert!(why.contains("\nfault id_out_of_range, reported in cycle ") && why.matches("(line 7: ").count() == 2, "{why}");
    assert!(why.contains("; 2 times in all, the last in cycle "), "{why}");
    let right = |line: usize| {
        let faults = [0, 1].map(|warp| format!("{{ code = 'id_out_of_range', warp = {warp}, line = {line} }}"));
        FAULT.replace("'completed'", &format!("'fault'\nfaults = [{}]", faults.join(", ")))
    };
    assert_eq!(fails(&right(4)), None, "the lines of expectations are those of the program");
    let why = fails(&right(3)).unwrap();
    assert!(why.starts_with("fault 0: expected line 6, got 7\n"), "{why}");
    let why = fails(&FAULT.replace("'completed'", "'fault'")).unwrap();
    assert!(why.starts_with("fault: expected 0, got 2\nnot expected: fault `id_out_of_range` in cycle "), "{why}");
    let (both, apart) = (".warps 0-1\nBAR.SYNC 0x1\nBAR.SYNC 0x7\nEXIT\n", ".warps 0\nBAR.SYNC 0x1\n.warps 1\nBAR.SYNC 0x2\n");
    let why = fails(&FAULT.replace(both, apart)).unwrap();
    let first = why.lines().next().unwrap();
    assert!(first.starts_with("expected the verdict `completed`, got `hung`: CTA 0 warp 0 waits"), "{first}");
    assert!(first.contains(" since cycle ") && first.contains("line 6: BAR.SYNC 0x1"), "{first}");
}

#[test]
fn wrong_scenarios_are_refused() {
    for (right, wrong, part) in [
        ("'tiny'", "'tinny'", "configuration `tinny` does not exist"),
        ("[expect]", "[expect]\nverdit = 1", "unknown field `verdit`"),
        ("description = 'd'", "", "the key `description` is missing"),
        ("description = 'd'", "description = 'd'\nexample = 'hang.bcu'", "either a `program`, an `example` or `ports`"),
        ("['tiny']", "[]", "at least one configuration"),
    ] {
        let error = parse(&RIGHT.replace(right, wrong)).err().map_or(String::new(), |d| d.message);
        assert!(error.contains(part), "{wrong}: expected `{part}` in: {error}");
    }
}

#[test]
fn an_error_of_the_program_has_its_line_in_the_file() {
    let fails = |text: &str| {
        let scenario = parse(text).unwrap();
        bcu_tb::scenario::run(&scenario, "tiny", None, None, Path::new(".")).unwrap_err().to_string()
    };
    let text = RIGHT.replace("BAR.ARV 0x1", "BAR.ARF 0x1");
    let error = fails(&text);
    let line = text.lines().position(|line| line.contains("BAR.ARF")).unwrap() + 1;
    assert!(error.starts_with(&format!("d.toml:{line}:1: ")) && error.contains("BAR.ARF"), "{error}");
    // The program begins on the line of its quotes, or has escapes for line breaks; or the machine is wrong.
    let error = fails(&text.replace("\"\"\"\n.warps 0\n", "\"\"\".warps 0\n"));
    assert!(error.starts_with(&format!("d.toml:{}:1: ", line - 1)), "{error}");
    let error = fails(&text.replace("\"\"\"\n.warps 0\nBAR.SYNC", "\"\"\"BAR.SINC"));
    assert!(error.starts_with("d.toml:3:14: "), "{error}");
    let error = fails(&text.replace("0\nBAR.SYNC 0x1, 0x8\n", "0\\nBAR.SYNC 0x1, 0x8\n"));
    assert!(error.starts_with("d.toml:3:11: line 4 of the program: "), "{error}");
    let error = fails(&RIGHT.replace("[expect]", "[[machine.cta]]\nwarps = 100\n[expect]"));
    assert!(error.starts_with("d.toml:10:9: "), "{error}");
    let (head, tail) = (RIGHT.split_once("program").unwrap().0, RIGHT.split_once("[expect]").unwrap().1);
    let named = format!("{head}example = 'own.bcu'\n[expect]{tail}");
    let own = |name: &str| Ok((name == "own.bcu").then(|| "EXIT\nHALT\n".to_string()));
    let scenario = Scenario::parse("d.toml", &named, &own).unwrap();
    let error = bcu_tb::scenario::run(&scenario, "tiny", None, None, Path::new(".")).unwrap_err().to_string();
    assert!(error.starts_with("own.bcu:2:1: "), "{error}");
    let missing = parse(&named).unwrap_err();
    assert_eq!(missing.message, "the program file `own.bcu` does not exist");
    assert!(missing.label.contains("in the folder of `--scenarios` or in `examples/`"), "{missing:?}");
}

/// A correct scenario at ports.
const AT_PORTS: &str = "description = 'd'\nconfigs = ['tiny']\n[ports]\nunit = 'mbarrier'\nsteps = [\n\
                        { set = { wait_limit = 1 } }, { send = { launch = { size = 1 } } },\n\
                        { send = { op = { kind = 'Init', uniform = 1, address = 0x40, count = 2 } } }, { see = { commit = { warps = 1 } } },\n\
                        { send = { tx = { object = 8, count = 1 } } }, { cycles = 9 }, { is = { suspended = 0 } },\n\
                        { send = { op = { kind = 'Inval', uniform = 1, address = 0x40 } } }, { see = { commit = { warps = 1 } } },\n\
                        { memory = { object = 8, word = 0 } },\n]\n";

#[test]
fn a_wrong_step_fails() {
    let fails = |text: &str| {
        let scenario = parse(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        bcu_tb::scenario::run(&scenario, "tiny", None, None, Path::new(".")).err().map(|e| e.to_string())
    };
    assert_eq!(fails(AT_PORTS), None);
    for (right, wrong, part) in [
        ("'mbarrier'", "'mbarier'", "unit `mbarier` does not exist in a configuration `tiny`"),
        (
            "'Init'",
            "'Innit'",
            "step 3, in cycle 2: `op_kind`: `Innit` is not a value of this port; expected one of Init, Inval",
        ),
        ("count = 2", "counts = 2", "`op_counts`: no port of this name"),
        ("{ tx = {", "{ txx = {", "`txx`: no input channel of this name"),
        ("count = 2", "count = 0x200000", "0x200000 does not fit into `op_count`, which has 21 bits"),
        ("count = 2", "count = 0", "`fault`: no step expects the transfer of cycle"),
        ("suspended = 0", "suspended = 1", "expected `suspended` to be 0x1, got 0x0"),
        ("suspended = 0", "suspend = 0", "`suspend`: no output port of this name"),
        ("see = { commit = { warps = 1 }", "see = { commit = { warps = 2 }", "expected warps 0x2 on `commit` in cycle"),
        ("see = { commit = { warps = 1 }", "see = { commits = { warps = 1 }", "`commits`: no output channel of this name"),
        ("{ memory", "{ see = { wake = {} } }, { memory", "`wake`: no transfer within 1000 cycles"),
        ("cycles = 9", "cycles = 100001", "100001 cycles are too many: expected at most 100000 in a step"),
        ("word = 0", "word = 1", "expected 0x1 at object 8 of CTA 0, got 0x0"),
        (
            "{ memory",
            "{ send = { op = { kind = 'TestWait', uniform = 1, address = 0x40 } } }, { cycles = 99 }, { memory",
            ": no step expects the transfer of cycle",
        ),
    ] {
        let why = fails(&AT_PORTS.replacen(right, wrong, 1)).unwrap_or_default();
        assert!(why.contains(part), "{wrong}: expected `{part}` in: {why}");
    }
    for (right, wrong, part) in [
        ("[ports]", "program = 'EXIT'\n[ports]", "either a `program`, an `example` or `ports`"),
        ("[ports]", "[expect]\nverdict = 'completed'\n[ports]", "`[expect]` is not allowed with `ports`"),
        ("{ cycles", "{ cycle", "unknown variant `cycle`"),
    ] {
        let error = parse(&AT_PORTS.replacen(right, wrong, 1)).err().map_or(String::new(), |d| d.message);
        assert!(error.contains(part), "{wrong}: expected `{part}` in: {error}");
    }
    let without = RIGHT.split_once("[expect]").unwrap().0;
    assert_eq!(
        parse(without).err().map(|d| d.message),
        Some("a scenario with a program or an example needs an expected result".to_string())
    );
}
