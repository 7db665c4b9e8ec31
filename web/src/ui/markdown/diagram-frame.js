/**
 * Runs inside the frame of one diagram, which has no origin: draws what the page sends, and tells how high it is. It can
 * reach neither the page, nor its cookies, nor the network.
 */

const root = document.documentElement;
const tell = (message) => parent.postMessage(message, '*');

addEventListener(
  'message',
  async ({ data, source }) => {
    if (source !== parent) return;
    try {
      const mermaid = globalThis.mermaid;
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: 'strict',
        theme: data.dark ? 'dark' : 'default',
        maxTextSize: data.mostLetters,
        maxEdges: 300,
        suppressErrorRendering: true,
      });
      const { svg } = await mermaid.render('diagram', data.text);
      document.body.innerHTML = svg;
      const measure = () => tell({ height: Math.ceil(root.getBoundingClientRect().height) });
      new ResizeObserver(measure).observe(document.body);
      measure();
    } catch (error) {
      tell({ error: String(error?.message ?? error).slice(0, 500) });
    }
  },
  { once: true },
);
tell({ ready: true });
