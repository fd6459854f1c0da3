// Moves a new build from `dist-new` to `dist`. A file is replaced in one step, and only if its content
// differs, since bots that run from source may be importing the package.

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [built, dist] = [join(here, "dist-new"), join(here, "dist")];

/** Returns the paths of all files in a folder, relative to the folder. */
const filesOf = (folder) =>
  readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile());

const names = filesOf(built);
mkdirSync(dist, { recursive: true });
for (const name of names) {
  const [from, to] = [join(built, name), join(dist, name)];
  if (existsSync(to) && readFileSync(to).equals(readFileSync(from))) continue;
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
}
// Files of earlier versions.
for (const name of filesOf(dist)) if (!names.includes(name)) rmSync(join(dist, name));
rmSync(built, { recursive: true });
