/** Reads licence scanning reports and compares two of them: which licences the dependencies of a project have. */
import { isHash, jsonOf, ReportError, type ReportKind } from './kind.ts';

/** Dependencies of one report. */
const maxDependencies = 20_000;
const maxText = 500;

export interface LicenseUse {
  /** SPDX identifier; null where the report has a name only. */
  readonly id: string | null;
  readonly name: string;
  readonly url: string | null;
  /** Names of those that have it, with their versions. */
  readonly dependencies: readonly string[];
}

type Hash = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, maxText).trim() : '');
/** An address that a page may link to. */
const urlOf = (value: unknown): string | null => (/^https?:\/\//i.test(textOf(value)) ? textOf(value) : null);
const listOf = (value: unknown, what: string): readonly unknown[] => {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new ReportError(`${what} is not a list`);
  return value;
};

interface Named {
  readonly id: string | null;
  readonly name: string;
  readonly url: string | null;
}

const unknownLicense: Named = { id: null, name: 'Unknown', url: null };

const licenseOf = (value: Hash): Named => ({
  id: textOf(value.id) || null,
  name: textOf(value.name) || textOf(value.id) || unknownLicense.name,
  url: urlOf(value.url),
});

/** What a dependency has: references to the list of the report, or in old reports one licence of its own. */
function licensesOf(dependency: Hash, known: ReadonlyMap<string, Named>): readonly Named[] {
  if (isHash(dependency.license)) return [licenseOf(dependency.license)];
  const found = listOf(dependency.licenses, 'licenses of a dependency').map((each) => {
    const name = isHash(each) ? textOf(each.id) || textOf(each.name) : textOf(each);
    return known.get(name) ?? { ...unknownLicense, ...(name === '' ? {} : { name }) };
  });
  return found.length === 0 ? [unknownLicense] : found;
}

function nameOf(dependency: Hash): string {
  const name = textOf(dependency.name) || (isHash(dependency.dependency) ? textOf(dependency.dependency.name) : '');
  if (name === '') throw new ReportError('a dependency has no name');
  const version = textOf(dependency.version);
  return version === '' ? name : `${name} ${version}`;
}

export const licenses: ReportKind<readonly LicenseUse[]> = {
  type: 'license_scanning',
  async read(text) {
    const report = jsonOf(text);
    if (!isHash(report) || (report.licenses === undefined && report.dependencies === undefined))
      throw new ReportError('the report has no licenses');
    const known = new Map(
      listOf(report.licenses, 'licenses').flatMap((each) => {
        if (!isHash(each)) throw new ReportError('a license is not an object');
        const license = licenseOf(each);
        return [[license.id ?? license.name, license] as const, [license.name, license] as const];
      }),
    );
    const dependencies = listOf(report.dependencies, 'dependencies');
    if (dependencies.length > maxDependencies)
      throw new ReportError(`number of dependencies exceeded the limit of ${maxDependencies}`);
    const uses = new Map<string, Named & { readonly dependencies: Set<string> }>();
    for (const each of dependencies) {
      if (!isHash(each)) throw new ReportError('a dependency is not an object');
      for (const license of licensesOf(each, known)) {
        const use = uses.get(license.name) ?? { ...license, dependencies: new Set<string>() };
        use.dependencies.add(nameOf(each));
        uses.set(license.name, use);
      }
    }
    const content = [...uses.values()]
      .map((use) => ({ ...use, dependencies: [...use.dependencies].sort() }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    return { content, summary: { licenses: content.length, dependencies: dependencies.length } };
  },
};

interface LicenseComparison {
  readonly added: readonly LicenseUse[];
  readonly removed: readonly LicenseUse[];
  readonly existing: readonly LicenseUse[];
}

export function compareLicenses(base: readonly LicenseUse[], head: readonly LicenseUse[]): LicenseComparison {
  const before = new Set(base.map(({ name }) => name));
  const now = new Set(head.map(({ name }) => name));
  return {
    added: head.filter(({ name }) => !before.has(name)),
    removed: base.filter(({ name }) => !now.has(name)),
    existing: head.filter(({ name }) => before.has(name)),
  };
}

/** Those of several reports as one list. */
export function mergedLicenses(reports: readonly (readonly LicenseUse[])[]): LicenseUse[] {
  const found = new Map<string, LicenseUse>();
  for (const use of reports.flat()) {
    const known = found.get(use.name);
    const dependencies = [...new Set([...(known?.dependencies ?? []), ...use.dependencies])].sort();
    found.set(use.name, { ...use, ...known, dependencies });
  }
  return [...found.values()];
}
