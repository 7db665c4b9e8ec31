/** Diagrams that a server beside the instance draws (PlantUML, Kroki): the address of the picture that a text stands for. Pure. */
import { deflateRawSync, deflateSync } from 'node:zlib';
import type { ApplicationSettings } from '../../settings/index.ts';

export interface DiagramServers {
  readonly plantuml: string | null;
  readonly kroki: { readonly url: string; readonly formats: readonly string[] } | null;
}

/** Formats that Kroki draws by itself. Mermaid is drawn by the page. */
const ownFormats = [
  ...['bytefield', 'c4plantuml', 'd2', 'dbml', 'ditaa', 'dot', 'erd', 'graphviz', 'nomnoml', 'pikchr', 'plantuml'],
  ...['structurizr', 'svgbob', 'symbolator', 'tikz', 'umlet', 'vega', 'vegalite', 'wavedrom', 'wireviz'],
];
/** Formats for which Kroki asks a server of their own, which administrators switch on. */
const companions: Readonly<Record<string, readonly string[]>> = {
  blockdiag: ['blockdiag', 'seqdiag', 'actdiag', 'nwdiag', 'packetdiag', 'rackdiag'],
  bpmn: ['bpmn'],
  excalidraw: ['excalidraw'],
};
/** Longer texts stay the code that they are: their address would not pass through every proxy. */
const longestAddress = 4000;

/** What administrators say of the servers. */
export function diagramServers(settings: ApplicationSettings): DiagramServers {
  const switched = settings.diagramrenderer_formats;
  const more = Object.entries(companions).flatMap(([name, formats]) => (switched[name] === true ? formats : []));
  return {
    plantuml: settings.umlrenderer_enabled ? settings.umlrenderer_url : null,
    kroki:
      settings.diagramrenderer_enabled && settings.diagramrenderer_url !== null
        ? { url: settings.diagramrenderer_url, formats: [...ownFormats, ...more] }
        : null,
  };
}

/** PlantUML writes base64 with an alphabet of its own. */
const usual = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const plantumls = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';
function plantumlText(text: string): string {
  const packed = deflateRawSync(text, { level: 9 });
  const whole = Buffer.concat([packed, Buffer.alloc((3 - (packed.length % 3)) % 3)]);
  return whole.toString('base64').replaceAll(/[^=]/g, (letter) => plantumls[usual.indexOf(letter)] ?? '');
}

/** The picture of a block of code in a language; null where no server draws it. PlantUML's own server comes before Kroki. */
export function diagramAddress(language: string, text: string, { plantuml, kroki }: DiagramServers): string | null {
  const below = (server: string, path: string) => `${server.replace(/\/+$/, '')}/${path}`;
  let address: string | null = null;
  if (language === 'plantuml' && plantuml !== null) address = below(plantuml, `png/${plantumlText(text)}`);
  else if (kroki?.formats.includes(language))
    address = below(kroki.url, `${language}/svg/${deflateSync(text, { level: 9 }).toString('base64url')}`);
  return address !== null && address.length <= longestAddress ? address : null;
}
