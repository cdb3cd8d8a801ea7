use bcu_hw::{catalog, config, ports::Dir, verilog};
use bcu_sim::{dut::Dut, engine::Engine};
fn main() {
    let cfg = config::named(&std::env::args().nth(1).unwrap_or("small".into())).unwrap();
    for name in catalog::UNITS {
        let u = catalog::build(&cfg, name).unwrap();
        let t = std::time::Instant::now();
        match verilog::export_unit(&*u, vec!["smoke".into()]) {
            Ok(text) => {
                println!("{name}: {} lines {:?}", text.lines().count(), t.elapsed());
                std::fs::write(format!("/tmp/w/smoke/bcu_{name}.v"), text).unwrap();
            }
            Err(e) => {
                for x in e {
                    println!("{x}");
                }
            }
        }
    }
    let mut e = Engine::new(catalog::build(&cfg, "named").unwrap());
    let ports = e.ports().to_vec();
    let ins: Vec<_> = ports.iter().filter(|p| p.dir == Dir::In).map(|p| p.name.clone()).collect();
    let outs: Vec<_> = ports.iter().filter(|p| p.dir == Dir::Out).map(|p| p.name.clone()).collect();
    let mut i = vec![0u64; ins.len()];
    let mut o = vec![0u64; outs.len()];
    let set = |i: &mut Vec<u64>, n: &str, v: u64| {
        i[ins.iter().position(|x| x == n).unwrap()] = v;
    };
    set(&mut i, "reset", 1);
    set(&mut i, "fault_ready", 1);
    set(&mut i, "op_uniform", 1);
    e.cycle(&i, &mut o);
    set(&mut i, "reset", 0);
    let show = |c: u64, o: &Vec<u64>| {
        println!(
            "{c}: {}",
            outs.iter().zip(o).filter(|x| *x.1 != 0).map(|(n, v)| format!("{n}={v:x}")).collect::<Vec<_>>().join(" ")
        )
    };
    let mut c = 0;
    loop {
        e.cycle(&i, &mut o);
        c += 1;
        if o[0] == 1 {
            break;
        }
    }
    println!("ready after {c}");
    let ops: [(u64, u64, u64, u64); 8] =
        [(6, 0, 0, 0), (0, 0, 1, 0), (0, 1, 1, 0), (5, 2, 0, 0), (0, 0, 2, 8), (1, 1, 2, 8), (0, 3, 9, 0), (7, 0, 0, 0)];
    for (n, op) in ops.iter().enumerate() {
        set(&mut i, "op_valid", 1);
        set(&mut i, "op_kind", op.0);
        set(&mut i, "op_warp", op.1);
        set(&mut i, "op_id", op.2);
        set(&mut i, "op_count", op.3);
        set(&mut i, "op_warps", 3);
        set(&mut i, "op_live", 3);
        set(&mut i, "op_barriers", 8);
        e.cycle(&i, &mut o);
        show(n as u64, &o);
    }
    set(&mut i, "op_valid", 0);
    for n in 8..14 {
        e.cycle(&i, &mut o);
        show(n, &o);
    }
    let t = std::time::Instant::now();
    let n = 100000;
    let p0 = e.passes();
    for k in 0..n {
        set(&mut i, "op_valid", 1);
        set(&mut i, "op_kind", 0);
        set(&mut i, "op_warp", k % 4);
        set(&mut i, "op_id", k / 4 % 4);
        set(&mut i, "op_count", 16);
        e.cycle(&i, &mut o);
    }
    println!("{:.0} cycles/s, {:.1} passes", n as f64 / t.elapsed().as_secs_f64(), (e.passes() - p0) as f64 / n as f64);
}
