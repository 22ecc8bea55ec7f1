// One box filters the rows of all tables by operation; a click on a head sorts its table.
const find = document.createElement('input');
find.type = 'search';
find.placeholder = 'filter operations';
find.setAttribute('aria-label', 'filter operations');
document.querySelector('nav').append(find);
find.addEventListener('input', () => {
  const part = find.value.trim().toLowerCase();
  for (const row of document.querySelectorAll('tr.op')) row.hidden = !row.cells[0].textContent.toLowerCase().includes(part);
  for (const row of document.querySelectorAll('tr.family')) row.hidden = part !== '';
});
for (const head of document.querySelectorAll('table.sort thead th')) {
  head.addEventListener('click', () => {
    const body = head.closest('table').tBodies[0], up = head.dataset.up !== '1';
    head.dataset.up = up ? '1' : '0';
    const key = row => row.cells[head.cellIndex].textContent;
    const order = (a, b) => {
      const [x, y] = [key(a), key(b)], [m, n] = [parseFloat(x), parseFloat(y)];
      return isNaN(m) || isNaN(n) ? x.localeCompare(y) : m - n;
    };
    body.append(...[...body.rows].sort((a, b) => up ? order(a, b) : order(b, a)));
  });
}
