/** `pages`: the job makes a site; the folder that it publishes is one of its artifacts. */
import type { Keyword } from './keyword.ts';
import { booleanOf, field, textOf } from './read.ts';
import { boolean, duration, either, hash, ignored, isHash, isScalar, orVariable, text } from './schema.ts';

export type Pages = {
  readonly enabled: boolean;
  readonly publish: string | null;
  readonly pathPrefix: string | null;
  readonly expireIn: string | null;
};

export const pages: Keyword<Pages> = {
  name: 'pages',
  schema: either(
    [
      [isScalar, boolean],
      [
        isHash,
        hash({
          keys: {
            publish: text,
            path_prefix: ignored(text),
            expire_in: ignored(orVariable(duration(Number.POSITIVE_INFINITY, ['never']))),
          },
        }),
      ],
    ],
    'should be a hash or a boolean value',
  ),
  normalise: (node) => ({
    enabled: booleanOf(node) ?? true,
    publish: textOf(field(node, 'publish')),
    pathPrefix: textOf(field(node, 'path_prefix')),
    expireIn: textOf(field(node, 'expire_in')),
  }),
  lint: ({ name, config, markOf }, problems) => {
    if (config.pages?.publish == null || config.publish === undefined) return;
    problems.error(
      markOf('publish'),
      `jobs:${name}:publish config these keys cannot be used together: publish, pages:publish`,
    );
  },
};
