"""Kernels of rotations: each reads and writes the parts of quaternions, vectors and matrices in one launch.

A quaternion has the parts x, y, z, w; every operand is broadcast to all rotations.
"""

import numpy

import cuprum


def _letters(names, kind='T'):
    return ', '.join(f'{kind} {name}' for name in names.split())


def _kernel(inputs, outputs, body, name):
    return cuprum.ElementwiseKernel(inputs, outputs, body, f'cuprum_rotation_{name}')


_QUATERNION = _letters('x y z w')

normalize = _kernel(
    _letters('a b c d'),
    _QUATERNION,
    # Divided by the largest part first, whose square may be out of range.
    """
    T top = max(max(fabs(a), fabs(b)), max(fabs(c), fabs(d)));
    T p = a / top, q = b / top, r = c / top, s = d / top, norm = sqrt(p * p + q * q + r * r + s * s);
    x = p / norm; y = q / norm; z = r / norm; w = s / norm;
    """,
    'normalize',
)

canonical = _kernel(
    _letters('a b c d'),
    _QUATERNION,
    """
    bool negative = d < 0 || (d == 0 && (a < 0 || (a == 0 && (b < 0 || (b == 0 && c < 0)))));
    T sign = negative ? T(-1) : T(1);
    x = sign * a; y = sign * b; z = sign * c; w = sign * d;
    """,
    'canonical',
)

compose = _kernel(
    _letters('a b c d e f g h'),
    _QUATERNION,
    """
    T p = d * e + h * a + (b * g - c * f);
    T q = d * f + h * b + (c * e - a * g);
    T r = d * g + h * c + (a * f - b * e);
    T s = d * h - (a * e + b * f + c * g);
    T norm = sqrt(p * p + q * q + r * r + s * s);
    x = p / norm; y = q / norm; z = r / norm; w = s / norm;
    """,
    'compose',
)

# The vector is rotated by q v q*, in 15 products (`v + 2 w (u x v) + 2 u x (u x v)`).
apply = _kernel(
    _letters('a b c d p q r'),
    _letters('x y z'),
    """
    T s = 2 * (b * r - c * q), t = 2 * (c * p - a * r), u = 2 * (a * q - b * p);
    x = p + d * s + (b * u - c * t);
    y = q + d * t + (c * s - a * u);
    z = r + d * u + (a * t - b * s);
    """,
    'apply',
)

# A thread for each element: nine elements at a distance of nine would not be written together.
to_matrix = _kernel(
    'raw T quat',
    'T m',
    """
    long long at = i / 9;
    int e = int(i - 9 * at), row = e / 3, column = e - 3 * row;
    T x = quat[4 * at], y = quat[4 * at + 1], z = quat[4 * at + 2], w = quat[4 * at + 3];
    T p = row == 0 ? x : row == 1 ? y : z, q = column == 0 ? x : column == 1 ? y : z;
    // The axis that is neither of both.
    int other = 3 - row - column;
    T r = other == 0 ? x : other == 1 ? y : z;
    bool ahead = column - row == 1 || column - row == -2;
    m = row == column ? 2 * (p * p) + (w * w - (x * x + y * y + z * z)) : 2 * (p * q + (ahead ? -r * w : r * w));
    """,
    'to_matrix',
)

# A product of elementary rotations, about axes that rotate, too, or about fixed ones.
from_euler = _kernel(
    'T alpha, T beta, T gamma, int32 first, int32 second, int32 third, bool intrinsic',
    _QUATERNION,
    """
    x = y = z = T(0);
    w = T(1);
    for (int step = 0; step < 3; ++step) {
        T half = (step == 0 ? alpha : step == 1 ? beta : gamma) / 2, s = sin(half), c = cos(half);
        int axis = step == 0 ? first : step == 1 ? second : third;
        T a = axis == 0 ? s : T(0), b = axis == 1 ? s : T(0), d = axis == 2 ? s : T(0), sign = intrinsic ? T(1) : T(-1);
        T p = w * a + c * x + sign * (y * d - z * b);
        T q = w * b + c * y + sign * (z * a - x * d);
        T r = w * d + c * z + sign * (x * b - y * a);
        w = w * c - (x * a + y * b + z * d);
        x = p; y = q; z = r;
    }
    """,
    'from_euler',
)

# The largest of the four parts is computed from the diagonal, the others from it (S. W. Shepperd, "Quaternion from Rotation Matrix", 1978).
from_matrix = _kernel(
    _letters('a b c d e f g h k'),
    _QUATERNION,
    """
    T trace = a + e + k, p, q, r, s;
    if (trace >= a && trace >= e && trace >= k) { p = h - f; q = c - g; r = d - b; s = 1 + trace; }
    else if (a >= e && a >= k) { p = 1 - trace + 2 * a; q = d + b; r = g + c; s = h - f; }
    else if (e >= k) { p = d + b; q = 1 - trace + 2 * e; r = h + f; s = c - g; }
    else { p = g + c; q = h + f; r = 1 - trace + 2 * k; s = d - b; }
    T norm = sqrt(p * p + q * q + r * r + s * s);
    x = p / norm; y = q / norm; z = r / norm; w = s / norm;
    """,
    'from_matrix',
)

# Below an angle of 1e-3 the next term of each series is below the rounding error.
from_rotvec = _kernel(
    _letters('a b c'),
    _QUATERNION,
    """
    T angle = norm3d(a, b, c), square = angle * angle;
    T scale = angle <= T(1e-3) ? T(0.5) - square / 48 + square * square / 3840 : sin(angle / 2) / angle;
    x = scale * a; y = scale * b; z = scale * c; w = cos(angle / 2);
    """,
    'from_rotvec',
)

to_rotvec = _kernel(
    _QUATERNION,
    _letters('a b c'),
    """
    T sign = w < 0 ? T(-1) : T(1);
    T angle = 2 * atan2(T(norm3d(x, y, z)), T(fabs(w))), square = angle * angle;
    T scale = sign * (angle <= T(1e-3) ? 2 + square / 12 + 7 * square * square / 2880 : angle / sin(angle / 2));
    a = scale * x; b = scale * y; c = scale * z;
    """,
    'to_rotvec',
)

magnitude = _kernel(_QUATERNION, 'T a', 'a = 2 * atan2(T(norm3d(x, y, z)), T(fabs(w)));', 'magnitude')

from_mrp = _kernel(
    _letters('a b c'),
    _QUATERNION,
    """
    T square = a * a + b * b + c * c, scale = 1 / (square + 1);
    x = 2 * scale * a; y = 2 * scale * b; z = 2 * scale * c; w = (1 - square) * scale;
    """,
    'from_mrp',
)

to_mrp = _kernel(
    _QUATERNION,
    _letters('a b c'),
    """
    T sign = w < 0 ? T(-1) : T(1), scale = sign / (1 + sign * w);
    a = scale * x; b = scale * y; c = scale * z;
    """,
    'to_mrp',
)

# Euler angles from a quaternion whose parts are those of the three axes in their order (E. Bernardes, S. Viollet, "Quaternion to Euler angles conversion: A direct, general and
# computationally efficient method", 2022). `sign` is that of the permutation of the axes, and `locked` whether the first and the third angle are not determined.
to_euler = _kernel(
    'T p, T q, T r, T w, bool symmetric, bool extrinsic, int32 sign',
    'T first, T second, T third, bool locked',
    """
    const T pi = T(3.141592653589793);
    T a = symmetric ? w : w - q, b = symmetric ? p : p + r * sign, c = symmetric ? q : q + w, d = symmetric ? r * sign : r * sign - p;
    T middle = 2 * atan2(T(hypot(c, d)), T(hypot(a, b)));
    T sum = atan2(b, a), difference = atan2(d, c);
    bool below = fabs(middle) <= T(1e-7), above = fabs(middle - pi) <= T(1e-7);
    locked = below || above;
    T early = below ? 2 * sum : above ? 2 * difference * (extrinsic ? -1 : 1) : extrinsic ? sum - difference : sum + difference;
    T late = locked ? T(0) : extrinsic ? sum + difference : sum - difference;
    if (!symmetric) {
        middle -= pi / 2;
        // The third angle of the extrinsic order, which is the first one of the intrinsic order.
        if (extrinsic) late *= sign; else early *= sign;
    }
    first = early < -pi ? early + 2 * pi : early > pi ? early - 2 * pi : early;
    second = middle < -pi ? middle + 2 * pi : middle > pi ? middle - 2 * pi : middle;
    third = late < -pi ? late + 2 * pi : late > pi ? late - 2 * pi : late;
    """,
    'to_euler',
)


def parts(a):
    """Returns views of the elements along the last axis."""
    return tuple(a[..., k] for k in range(a.shape[-1]))


def run(kernel, count, *operands):
    """Returns the results of a kernel with `count` outputs along a new last axis."""
    shapes = [o.shape for o in operands if isinstance(o, cuprum.ndarray)]
    try:
        shape = numpy.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f'Cannot broadcast the shapes {" and ".join(map(str, dict.fromkeys(shapes)))} of rotations and their operands.') from None
    dtype = next(o.dtype for o in operands if isinstance(o, cuprum.ndarray))
    out = cuprum.empty((*shape, count), dtype)
    kernel(*operands, *parts(out))
    return out
