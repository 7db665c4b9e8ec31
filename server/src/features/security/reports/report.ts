/** Reports of security scanners in their public format: read, checked, and turned into findings. Pure. */
import { createHash } from 'node:crypto';

export const reportTypes = [
  'sast',
  'secret_detection',
  'dependency_scanning',
  'container_scanning',
  'cluster_image_scanning',
  'dast',
  'api_fuzzing',
  'coverage_fuzzing',
] as const;
export type ReportType = (typeof reportTypes)[number];
export const severities = ['info', 'unknown', 'low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof severities)[number];
export const confidences = ['ignore', 'unknown', 'experimental', 'low', 'medium', 'high', 'confirmed'] as const;
export type Confidence = (typeof confidences)[number];

/** Findings of one report: more are a fault of the scanner. */
const maxFindings = 5_000;
const maxErrors = 20;
const maxTitle = 255;
const maxText = 1_048_576;

export interface Identifier {
  readonly external_type: string;
  readonly external_id: string;
  readonly name: string;
  readonly url: string | null;
}

export interface ReportFinding {
  readonly uuid: string;
  readonly scanner: { readonly external_id: string; readonly name: string; readonly vendor: string | null };
  /** The first is the one that counts. */
  readonly identifiers: readonly [Identifier, ...Identifier[]];
  readonly name: string;
  readonly description: string | null;
  readonly solution: string | null;
  readonly severity: Severity;
  readonly confidence: Confidence;
  readonly location: Readonly<Record<string, unknown>>;
  readonly links: readonly { readonly name: string | null; readonly url: string }[];
  readonly location_fingerprint: string;
  readonly project_fingerprint: string;
  readonly metadata_version: string;
  readonly raw_metadata: string;
}

export type Report =
  | { readonly ok: true; readonly findings: readonly ReportFinding[] }
  | { readonly ok: false; readonly errors: readonly string[] };

type Hash = Readonly<Record<string, unknown>>;
const isHash = (value: unknown): value is Hash => typeof value === 'object' && value !== null && !Array.isArray(value);
const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
/** Without characters that the database cannot store. */
const cleaned = (value: unknown, longest: number): string | null =>
  textOf(value)?.replaceAll('\0', '').toWellFormed().slice(0, longest) ?? null;
/** The same for all texts in a value, names of members among them. */
export function cleanedValue(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '').toWellFormed();
  if (Array.isArray(value)) return value.map(cleanedValue);
  if (!isHash(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [cleanedValue(key), cleanedValue(each)]));
}
const webAddress = (value: unknown): string | null => {
  const text = cleaned(value, 2048);
  return text !== null && /^https?:\/\//i.test(text) ? text : null;
};

/** A UUID made of a name, version 5: RFC 9562, section 5.5. */
function uuidOf(name: string): string {
  const namespace = Buffer.from('b1d2f6c0e0bb5a0f9c1d5f7c3a5e8d42', 'hex');
  const bytes = createHash('sha1').update(namespace).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The same for the same weakness at the same place of a project, whichever pipeline finds it. */
export const findingUuid = (
  type: ReportType,
  projectId: number,
  { external_type, external_id }: Pick<Identifier, 'external_type' | 'external_id'>,
  place: string,
): string => uuidOf(`${type}-${external_type}:${external_id}-${place}-${projectId}`);

/** What of a location says that two findings are at the same place. */
function placeOf(type: ReportType, location: Hash): string {
  const at = (...path: readonly string[]) =>
    String(path.reduce<unknown>((value, key) => (isHash(value) ? value[key] : undefined), location) ?? '');
  switch (type) {
    case 'sast':
    case 'secret_detection':
      return [at('file'), at('commit', 'sha'), at('start_line'), at('end_line')].join(':');
    case 'dependency_scanning':
      return [at('file'), at('dependency', 'package', 'name')].join(':');
    case 'container_scanning':
    case 'cluster_image_scanning':
      // Another build of the image is the same place.
      return [at('image').replace(/(@.*|:[^/:]*)$/, ''), at('dependency', 'package', 'name')].join(':');
    case 'dast':
    case 'api_fuzzing':
      return [at('path'), at('method'), at('param')].join(':');
    case 'coverage_fuzzing':
      return [at('crash_type'), at('crash_state')].join(':');
  }
}

/** Collects what is wrong, with its place in the report. */
function checker() {
  const errors: string[] = [];
  const fail = (at: string, problem: string) => {
    if (errors.length < maxErrors) errors.push(`[Schema] ${at || '/'} ${problem}`);
  };
  return { errors, fail };
}

function identifiersOf(value: unknown, at: string, fail: (at: string, problem: string) => void): Identifier[] {
  if (!Array.isArray(value) || value.length === 0) {
    fail(`${at}/identifiers`, 'must have at least 1 item');
    return [];
  }
  return value.flatMap((each: unknown, index) => {
    const place = `${at}/identifiers/${index}`;
    const hash = isHash(each) ? each : {};
    const [type, name, id] = [
      cleaned(hash.type, maxTitle),
      cleaned(hash.name, maxTitle),
      cleaned(hash.value, maxTitle),
    ];
    if (type === null) fail(`${place}/type`, 'must be a text');
    if (name === null) fail(`${place}/name`, 'must be a text');
    if (id === null) fail(`${place}/value`, 'must be a text');
    if (type === null || name === null || id === null) return [];
    return [{ external_type: type, external_id: id, name, url: webAddress(hash.url) }];
  });
}

const word = <T extends string>(words: readonly T[], value: unknown, fallback: T): T | null => {
  if (value === undefined || value === null) return fallback;
  const text = String(value).toLowerCase();
  return words.find((each) => each === text) ?? (text === 'undefined' ? fallback : null);
};

function scannerOf(value: unknown): ReportFinding['scanner'] | null {
  if (!isHash(value)) return null;
  const id = cleaned(value.id, maxTitle);
  if (id === null) return null;
  const vendor = isHash(value.vendor) ? cleaned(value.vendor.name, maxTitle) : null;
  return { external_id: id, name: cleaned(value.name, maxTitle) ?? id, vendor };
}

/** A report as findings of a project, or why it counts for nothing. */
export function readReport(type: ReportType, projectId: number, text: string): Report {
  let report: unknown;
  try {
    report = JSON.parse(text);
  } catch {
    return { ok: false, errors: ['[Schema] the report is not JSON'] };
  }
  if (!isHash(report)) return { ok: false, errors: ['[Schema] the report is not an object'] };
  const { errors, fail } = checker();
  const version = textOf(report.version);
  if (version === null) fail('/version', 'must be a text');
  else if (!/^(2|3|1[345])(\.\d+){1,2}/.test(version)) fail('/version', `${version.slice(0, 20)} is not supported`);
  const scan = isHash(report.scan) ? report.scan : {};
  if (typeof scan.type === 'string' && scan.type !== type) fail('/scan/type', `must be ${type}`);
  const listed = report.vulnerabilities;
  if (!Array.isArray(listed)) fail('/vulnerabilities', 'must be a list');
  const vulnerabilities: unknown[] = Array.isArray(listed) ? listed : [];
  if (vulnerabilities.length > maxFindings) fail('/vulnerabilities', `must have at most ${maxFindings} items`);
  const common = scannerOf(scan.scanner);

  const found = new Map<string, ReportFinding>();
  for (const [index, each] of vulnerabilities.slice(0, maxFindings).entries()) {
    const at = `/vulnerabilities/${index}`;
    if (!isHash(each)) {
      fail(at, 'must be an object');
      continue;
    }
    const identifiers = identifiersOf(each.identifiers, at, fail);
    const scanner = scannerOf(each.scanner) ?? common;
    if (scanner === null) fail(`${at}/scanner`, 'must have an id, or the scan must');
    if (!isHash(each.location)) fail(`${at}/location`, 'must be an object');
    const severity = word(severities, each.severity, 'unknown');
    if (severity === null) fail(`${at}/severity`, `must be one of ${severities.join(', ')}`);
    const confidence = word(confidences, each.confidence, 'unknown');
    if (confidence === null) fail(`${at}/confidence`, `must be one of ${confidences.join(', ')}`);
    const [primary, ...others] = identifiers;
    if (!primary || scanner === null || !isHash(each.location) || severity === null || confidence === null) continue;
    const place = sha1(placeOf(type, each.location));
    const identity = `${primary.external_type}:${primary.external_id}`;
    const uuid = findingUuid(type, projectId, primary, place);
    // One that is reported twice is the same.
    if (found.has(uuid)) continue;
    const links = Array.isArray(each.links) ? each.links.filter(isHash) : [];
    found.set(uuid, {
      uuid,
      scanner,
      identifiers: [primary, ...others],
      name: cleaned(each.name, maxTitle) ?? cleaned(each.message, maxTitle) ?? primary.name,
      description: cleaned(each.description, maxText),
      solution: cleaned(each.solution, maxText),
      severity,
      confidence,
      location: cleanedValue(each.location) as Hash,
      links: links.flatMap((link) => {
        const url = webAddress(link.url);
        return url === null ? [] : [{ name: cleaned(link.name, maxTitle), url }];
      }),
      location_fingerprint: place,
      project_fingerprint: sha1(`${identity}:${place}`),
      metadata_version: version ?? '',
      raw_metadata: JSON.stringify(each),
    });
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, findings: [...found.values()] };
}
