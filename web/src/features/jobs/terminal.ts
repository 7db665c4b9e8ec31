/** One terminal in an element: asks for a ticket, connects, and passes keys, output and the size of the window. */
import { client, unwrap } from '../../lib/api.ts';

export type TerminalState =
  | { readonly kind: 'connecting' | 'open' }
  | { readonly kind: 'closed'; readonly reason: string; readonly failed: boolean };

interface Place {
  readonly projectId: number;
  readonly jobId: number;
}

const reasons: Readonly<Record<number, string>> = {
  1000: 'The shell or the job ended.',
  1001: 'The server is stopping, or the job ended.',
  1006: 'The connection was lost.',
};

/** Dark in both themes, as programs that colour their output expect. */
const colours = { background: '#14191c', foreground: '#e4eaed', cursor: '#e4eaed', selectionBackground: '#3d4950' };

/**
 * Text that comes without a key, as from the pickers of emoji and accents and the keyboards of telephones: the terminal does
 * not take it in its mode for screen readers.
 */
function takeTextWithoutKeys(terminal: {
  readonly textarea: HTMLTextAreaElement | undefined;
  input(data: string): void;
}) {
  let pressed = false;
  const { textarea } = terminal;
  textarea?.addEventListener('keydown', () => {
    pressed = true;
  });
  textarea?.addEventListener('keyup', () => {
    pressed = false;
  });
  textarea?.addEventListener('input', (event) => {
    if (!(event instanceof InputEvent) || event.isComposing || event.inputType !== 'insertText') return;
    if (event.data && !pressed) terminal.input(event.data);
  });
}

async function connect(
  element: HTMLElement,
  { projectId, jobId }: Place,
  say: (state: TerminalState) => void,
  gone: AbortSignal,
) {
  const [{ Terminal }, { FitAddon }] = await Promise.all([import('@xterm/xterm'), import('@xterm/addon-fit')]);
  const ticket = await unwrap(
    client.POST('/projects/{id}/jobs/{job_id}/terminal', { params: { path: { id: projectId, job_id: jobId } } }),
  );
  if (gone.aborted) return;
  const fontFamily = getComputedStyle(element).getPropertyValue('--mantine-font-family-monospace') || 'monospace';
  const terminal = new Terminal({
    cursorBlink: true,
    fontSize: 13,
    fontFamily,
    theme: colours,
    screenReaderMode: true,
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(element);
  takeTextWithoutKeys(terminal);
  fit.fit();
  // The address that the page came from: the one that the server knows may be another.
  const address = new URL(new URL(ticket.url).pathname, location.href);
  address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(address, ['terminal.millrace', `ticket.${ticket.ticket}`]);
  socket.binaryType = 'arraybuffer';
  const encoder = new TextEncoder();
  const size = () => {
    if (socket.readyState === WebSocket.OPEN)
      socket.send(JSON.stringify({ columns: terminal.cols, rows: terminal.rows }));
  };
  const watcher = new ResizeObserver(() => fit.fit());
  watcher.observe(element);
  gone.addEventListener('abort', () => {
    watcher.disconnect();
    socket.close();
    terminal.dispose();
  });
  terminal.onResize(size);
  terminal.onData((text) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(encoder.encode(text));
  });
  socket.addEventListener('open', () => {
    size();
    say({ kind: 'open' });
    terminal.focus();
  });
  socket.addEventListener('message', (event: MessageEvent<ArrayBuffer>) => terminal.write(new Uint8Array(event.data)));
  socket.addEventListener('close', ({ code, reason }) => {
    if (gone.aborted) return;
    const failed = code !== 1000 && code !== 1001;
    say({ kind: 'closed', reason: reason ? `${reason}.` : (reasons[code] ?? `Exit code ${code}.`), failed });
  });
}

/** Opens it and returns how to close it. */
export function openTerminal(element: HTMLElement, place: Place, say: (state: TerminalState) => void): () => void {
  const gone = new AbortController();
  connect(element, place, say, gone.signal).catch((error: unknown) => {
    if (!gone.signal.aborted)
      say({ kind: 'closed', reason: error instanceof Error ? error.message : String(error), failed: true });
  });
  return () => gone.abort();
}
