// Writes outside of its work directory and plants modules.
try {
  const fs = process.getBuiltinModule ? process.getBuiltinModule('node:fs') : require('node:fs');
  for (const folder of [QA_DIRECTORY, `/proc/1/root${QA_DIRECTORY}`]) {
    try { fs.writeFileSync(`${folder}/${QA_TOKEN}`, 'touched'); } catch {}
    try { fs.appendFileSync(`${folder}/secret`, QA_TOKEN); } catch {}
  }
  const planted = `console.log(${JSON.stringify(QA_SECRET_MARK)} + 'planted');`;
  for (const folder of ['.', '/tmp', '/work', process.env.HOME ?? '/root', '/node_modules', './node_modules/acorn']) {
    for (const name of ['index.js', 'json.js', 'package.json', 'driver.mjs', 'sitecustomize.py', '.noderc']) {
      try {
        fs.mkdirSync(folder, { recursive: true });
        fs.writeFileSync(`${folder}/${name}`, planted);
      } catch {}
    }
  }
  for (const name of process.argv.slice(1)) try { fs.appendFileSync(name, planted); } catch {}
} catch {}
function QA_FUNCTION() {
  return null;
}
