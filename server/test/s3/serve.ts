/** The test storage as a process: prints the configuration of a server that uses it, and ends with its standard input. */
import { startStorage } from './index.ts';

const [prefix = '', options = ''] = process.argv.slice(2);
const storage = await startStorage();
console.log(JSON.stringify(storage.environment(prefix, options)));
process.stdin.resume().once('end', () => process.exit());
