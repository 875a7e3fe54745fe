const { API_URL, API_PATH, API_KEY, MIN_RATING } = process.env;

async function get(path) {
  for (;;) {
    const response = await fetch(API_URL + path, { headers: { 'X-Api-Key': API_KEY } });
    if (response.ok) return response.json();
    await response.text();
    if (response.status !== 503) throw new Error(`status ${response.status}`);
  }
}

const byCodePoints = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

const found = [];
for (let path = API_PATH; path !== null; ) {
  const { data, links } = await get(path);
  for (const { attributes } of data) {
    if (attributes.rating !== null && attributes.rating.value >= Number(MIN_RATING)) found.push(attributes);
  }
  path = links.next;
}
found.sort((a, b) => b.rating.value - a.rating.value || byCodePoints(a.title, b.title));
for (const { title } of found) console.log(title);
