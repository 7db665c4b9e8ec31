/** Bodies of people's own making: `{{path.to.value}}` stands for a value of the payload, written as JSON writes it. */

function valueAt(payload: unknown, path: string): unknown {
  let value = payload;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}

/** Texts without their quotes, so that they may stand inside of others; everything else as JSON. */
function written(value: unknown): string {
  const json = JSON.stringify(value ?? null);
  return typeof value === 'string' ? json.slice(1, -1) : json;
}

/** The body; null when it is no JSON. */
export function renderTemplate(template: string, payload: unknown): string | null {
  const text = template.replaceAll(/\{\{([^{}]+)\}\}/g, (_whole, path: string) =>
    written(valueAt(payload, path.trim())),
  );
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return null;
  }
}
