// Every function of the package with arguments that are wrong, in a process of its own, which lives on.
import assert from 'node:assert';
import {spawnSync} from 'node:child_process';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

test('wrong arguments end no process', () => {
  const child = spawnSync(process.execPath, [fileURLToPath(new URL('fuzz.child.mjs', import.meta.url))],
      {encoding: 'utf8', timeout: 60000});
  assert.deepStrictEqual([child.signal, child.status], [null, 0], child.stderr);
  assert.ok(Number(child.stdout) > 3000, child.stdout);  // calls
});
