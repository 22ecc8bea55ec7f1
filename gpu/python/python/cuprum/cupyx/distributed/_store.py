"""Distribution of the id of a group: the process of rank 0 passes it to the others over a TCP connection.

Both sides prove that they know the token without sending it, by an HMAC of the other side's random bytes.
"""

import hmac
import os
import secrets
import socket
import struct
import time

DEFAULT_HOST = '127.0.0.1'
DEFAULT_PORT = 13333

_RANK = struct.Struct('<II')
_NONCE = 32
_DIGEST = 32


def patience():
    """Returns how many seconds processes wait for each other."""
    text = os.environ.get('CUPRUM_COLLECTIVES_TIMEOUT', '300')
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not seconds > 0:
        raise ValueError(f'CUPRUM_COLLECTIVES_TIMEOUT must be a positive number of seconds, not {text!r}')
    return seconds


def _token(host):
    """Returns the token. Connections from other machines need one."""
    token = os.environ.get('CUPRUM_STORE_TOKEN', '')
    if not token and not socket.gethostbyname(host).startswith('127.'):
        raise ValueError(
            f'init_process_group: host is {host!r}, which other machines can reach: set CUPRUM_STORE_TOKEN to the same secret text in all processes'
        )
    return token.encode()


def _read(connection, n):
    data = b''
    while len(data) < n:
        part = connection.recv(n - len(data))
        if not part:
            raise ConnectionError('the connection was closed')
        data += part
    return data


def _prove(connection, token, role):
    """Exchanges proofs of the token; the two roles have different ones. Raises PermissionError if the other's is wrong."""
    own = secrets.token_bytes(_NONCE)
    connection.sendall(own)
    theirs = _read(connection, _NONCE)
    connection.sendall(hmac.digest(token, role + theirs, 'sha256'))
    other = b'rank' if role == b'root' else b'root'
    if not hmac.compare_digest(_read(connection, _DIGEST), hmac.digest(token, other + own, 'sha256')):
        raise PermissionError('the token of the other process (CUPRUM_STORE_TOKEN) is another one')


def serve(host, port, size, message):
    """Passes a message to the ranks 1 to `size` - 1 of a group, as the rank 0."""
    token, end = _token(host), time.monotonic() + patience()
    missing = set(range(1, size))
    rejected = ''
    with socket.create_server((host, port)) as server:
        while missing:
            left = end - time.monotonic()
            ranks = ', '.join(map(str, sorted(missing)))
            if left <= 0:
                raise TimeoutError(
                    f'init_process_group: of {size} processes the ranks {ranks} did not come within {patience():g} s (CUPRUM_COLLECTIVES_TIMEOUT){rejected}'
                )
            server.settimeout(left)
            try:
                connection, _ = server.accept()
            except TimeoutError:
                continue
            with connection:
                connection.settimeout(5)
                try:
                    _prove(connection, token, b'root')
                    rank, theirs = _RANK.unpack(_read(connection, _RANK.size))
                    if theirs != size or rank not in missing:
                        rejected = f'; rank {rank} of {theirs} processes was rejected'
                        continue
                    connection.sendall(message)
                    missing.discard(rank)
                except PermissionError as e:
                    rejected = f'; a process was rejected: {e}'
                except OSError:
                    # A foreign connection that is no rank.
                    continue


def fetch(host, port, size, rank, n):
    """Returns the message of `n` bytes of the rank 0, for which it waits."""
    token, end = _token(host), time.monotonic() + patience()
    while True:
        try:
            connection = socket.create_connection((host, port), timeout=max(end - time.monotonic(), 0.01))
        except OSError as e:
            if time.monotonic() < end:
                time.sleep(0.02)
                continue
            raise TimeoutError(f'init_process_group: rank 0 did not listen at {host}:{port} within {patience():g} s ({e})') from None
        with connection:
            connection.settimeout(max(end - time.monotonic(), 0.01))
            try:
                _prove(connection, token, b'rank')
                connection.sendall(_RANK.pack(rank, size))
                return _read(connection, n)
            except PermissionError as e:
                raise PermissionError(f'init_process_group: rank 0 at {host}:{port}: {e}') from None
            except OSError as e:
                raise ConnectionError(
                    f'init_process_group: rank 0 at {host}:{port} has rejected rank {rank} of {size}: another process has this rank, or the numbers of processes differ ({e})'
                ) from None
