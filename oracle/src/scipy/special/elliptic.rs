//! Elliptic integrals and functions by the arithmetic-geometric mean.

use super::Real;
use crate::exact::big::Big;

const INFINITY: f64 = f64::INFINITY;

fn one() -> Big {
    Big::new(1.0)
}

/// Computes the complete integral of the first kind by the arithmetic-geometric mean of 1 and √p, DLMF 19.8.5.
pub(super) fn ellipkm1(p: &Big) -> Real {
    if *p <= 0.0 {
        return (if p.is_zero() { INFINITY } else { f64::NAN }).into();
    }
    let (mut a, mut b) = (one(), p.sqrt());
    for _ in 0..60 {
        let mean = (&a + &b) / 2.0;
        b = (&a * &b).sqrt();
        a = mean;
    }
    (Big::pi() / (a * 2.0)).into()
}

/// Computes both incomplete integrals for an amplitude of the first quadrant by Landen's transformation with the
/// arithmetic-geometric mean, DLMF 19.8.6 to 19.8.11 in the form of Abramowitz & Stegun 17.6.
fn first_and_second(phi: &Big, m: f64) -> (Big, Big) {
    let (mut a, mut b) = (one(), (one() - m).sqrt());
    let (mut turn, mut sum, mut squares, mut power) = (phi.clone(), Big::new(0.0), Big::new(m), one());
    for _ in 0..60 {
        // The next angle is this one and that whose tangent is b / a times its tangent, of the same quadrant.
        let nearest = Big::new((turn.to_f64() / std::f64::consts::PI).round());
        let rest = &turn - &nearest * Big::pi();
        let other = Big::atan2(&(&b * rest.sin()), &(&a * rest.cos())) + nearest * Big::pi();
        turn = &turn + other;
        let c = (&a - &b) / 2.0;
        let mean = (&a + &b) / 2.0;
        b = (&a * &b).sqrt();
        a = mean;
        power = power * 2.0;
        squares = squares + &c * &c * &power;
        sum = sum + &c * turn.sin();
        if c.is_zero() || c.is_below(250, &a) {
            break;
        }
    }
    let first = turn / (&power * &a);
    // E / K is 1 less half the sum of 2^n c_n^2.
    let second = &first * (one() - squares / 2.0) + sum;
    (first, second)
}

pub(super) fn incomplete(phi: f64, m: f64, second: bool) -> Real {
    match () {
        () if phi.is_nan() || m.is_nan() || m > 1.0 => return f64::NAN.into(),
        () if !phi.is_finite() || !m.is_finite() => return Real::Unknown,
        () if phi == 0.0 => return Real::Zero,
        () => {}
    }
    let size = Big::new(phi.abs());
    let turns = (phi.abs() / std::f64::consts::PI).round();
    let value = if m == 1.0 {
        // The Gudermannian's inverse, and the sine.
        let rest = &size - Big::pi() * turns;
        let sine = rest.sin();
        match second {
            true => sine + 2.0 * turns,
            false if turns > 0.0 => return (INFINITY * phi.signum()).into(),
            false => ((&sine + 1.0) / (one() - &sine)).ln() / 2.0,
        }
    } else {
        let rest = &size - Big::pi() * turns;
        let of = |x: &Big| {
            let (f, e) = first_and_second(x, m);
            if second { e } else { f }
        };
        let part = if rest.is_negative() { -of(&-rest) } else { of(&rest) };
        if turns > 0.0 { part + of(&(Big::pi() / 2.0)) * (2.0 * turns) } else { part }
    };
    value.with_sign(phi).into()
}

/// Computes sn, cn and dn by the amplitude of Abramowitz & Stegun 16.4, and the amplitude.
pub(super) fn jacobi(u: f64, m: f64) -> [f64; 4] {
    if !(u.is_finite() && (0.0..=1.0).contains(&m)) {
        return [f64::NAN; 4];
    }
    let x = Big::new(u);
    let round = |v: &Big| v.to_f64();
    if m == 1.0 {
        let sech = one() / x.cosh();
        let gd = Big::atan2(&x.sinh(), &one());
        return [round(&(x.sinh() / x.cosh())), round(&sech), round(&sech), round(&gd)];
    }
    let (mut a, mut b) = (one(), (one() - m).sqrt());
    let mut steps = vec![];
    while steps.len() < 40 {
        let c = (&a - &b) / 2.0;
        let mean = (&a + &b) / 2.0;
        b = (&a * &b).sqrt();
        a = mean;
        let done = c.is_zero() || c.is_below(250, &a);
        steps.push((a.clone(), c));
        if done {
            break;
        }
    }
    let mut phi = x * &a * 2f64.powi(steps.len() as i32);
    for (a, c) in steps.iter().rev() {
        let sine = phi.sin() * c / a;
        let root = (one() - &sine * &sine).sqrt();
        phi = (phi + Big::atan2(&sine, &root)) / 2.0;
    }
    let (sn, cn) = (phi.sin(), phi.cos());
    let dn = (one() - m + Big::new(m) * &cn * &cn).sqrt();
    [round(&sn), round(&cn), round(&dn), round(&phi)]
}
