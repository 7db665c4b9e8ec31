/** Plain scalars as the ecosystem reads them: YAML 1.1 words and numbers, and how it prints them again. */

export type Resolved = { value: string | number | boolean | null; text: string };

const NULLS = new Set(['', '~', 'null', 'Null', 'NULL']);
const TRUE = /^(?:true|True|TRUE|yes|Yes|YES|on|On|ON)$/;
const FALSE = /^(?:false|False|FALSE|no|No|NO|off|Off|OFF)$/;
const DECIMAL = /^[-+]?(?:0|[1-9][0-9_,]*)$/;
const OCTAL = /^([-+]?)0o?([0-7_]+)$/;
const HEXADECIMAL = /^([-+]?)0x([0-9a-fA-F_]+)$/;
const BINARY = /^([-+]?)0b([01_]+)$/;
const FLOAT = /^[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*|[0-9][0-9_]*(?=[eE]))(?:[eE][-+]?[0-9]+)?$/;
const SEXAGESIMAL = /^[-+]?[0-9]{1,6}(?::[0-5]?[0-9]){1,4}$/;

/** The value of an unquoted scalar; what is no word or number of YAML 1.1 stays a string. */
export function resolvePlain(source: string): Resolved {
  if (NULLS.has(source)) return { value: null, text: '' };
  if (TRUE.test(source)) return { value: true, text: 'true' };
  if (FALSE.test(source)) return { value: false, text: 'false' };
  return number(source) ?? { value: source, text: source };
}

function number(source: string): Resolved | null {
  if (source.length > 64 || !/^[-+.0-9]/.test(source)) return null;
  if (DECIMAL.test(source)) return integer('', source.replace(/[_,+]/g, ''));
  const based = [OCTAL, HEXADECIMAL, BINARY].map((pattern) => pattern.exec(source));
  for (const [index, prefix] of ['0o', '0x', '0b'].entries()) {
    const match = based[index];
    const digits = match?.[2]?.replaceAll('_', '');
    if (match && digits) return integer(match[1] === '-' ? '-' : '', prefix + digits);
  }
  if (SEXAGESIMAL.test(source)) return sexagesimal(source);
  if (FLOAT.test(source)) {
    const value = Number(source.replaceAll('_', ''));
    return Number.isFinite(value) ? { value, text: floatText(value) } : null;
  }
  return null;
}

function integer(sign: string, digits: string): Resolved {
  const exact = BigInt(digits) * (sign === '-' ? -1n : 1n);
  const text = exact.toString();
  const value = Number(exact);
  // Beyond 2^53 the digits matter more than arithmetic: commit-like and phone-like numbers.
  return { value: Number.isSafeInteger(value) ? value : text, text };
}

function sexagesimal(source: string): Resolved {
  const negative = source.startsWith('-');
  const total = source
    .replace(/^[-+]/, '')
    .split(':')
    .reduce((sum, part) => sum * 60 + Number(part), 0);
  const value = negative ? -total : total;
  return { value, text: String(value) };
}

function floatText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e16 ? `${value}.0` : String(value);
}
