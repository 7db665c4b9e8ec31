/** `/uploads/-/system/appearance/:name/1/:file`, and `/-/manifest.json`: what browsers ask of the appearance. */
import type { FastifyInstance } from 'fastify';
import { type Appearance, pictureNames, picturePath } from '../../../kernel/appearance/index.ts';
import { noSuchRoute } from '../../../kernel/http/errors.ts';
import { readPicture, sendPicture } from '../../../kernel/images/index.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { rulesOf } from './pictures.ts';

const named = (given: string, fallback: string) => (given.trim() === '' ? fallback : given);

export function mountAppearance(server: FastifyInstance, appearance: Appearance, objects: ObjectStore): void {
  server.get<{ Params: { name: string; file: string } }>(
    '/uploads/-/system/appearance/:name/1/:file',
    async (request, reply) => {
      const { file } = request.params;
      const name = pictureNames.find((each) => each === request.params.name);
      if (name === undefined) throw noSuchRoute();
      const { [name]: stored } = await appearance.read();
      const read = (key: string) => readPicture(objects, key, rulesOf(name));
      return await sendPicture(request, reply, { file, stored, open: true, read });
    },
  );

  server.get('/-/manifest.json', async (_request, reply) => {
    const values = await appearance.read();
    const icon = picturePath('pwa_icon', values.pwa_icon);
    return reply
      .header('Content-Type', 'application/manifest+json')
      .header('Cache-Control', 'public, no-cache')
      .send(
        JSON.stringify({
          name: named(values.pwa_name, 'Millrace'),
          short_name: named(values.pwa_short_name, 'Millrace'),
          description: named(values.pwa_description, 'Source code, reviews and pipelines'),
          start_url: '/',
          scope: '/',
          display: 'standalone',
          orientation: 'any',
          icons:
            icon === null
              ? [{ src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' }]
              : [
                  { src: icon, sizes: '192x192' },
                  { src: icon, sizes: '512x512' },
                ],
        }),
      );
  });
}
