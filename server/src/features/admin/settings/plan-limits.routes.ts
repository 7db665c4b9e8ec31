/** Limits of plans, as clients of the ecosystem ask for them: there is one plan, and its limits are settings of the instance. */
import Type, { type Static } from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import { Count, Entity } from '../../../kernel/http/entity.ts';
import { Int, OneOf, Optional } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { Settings } from '../../../kernel/settings/index.ts';

const PlanLimits = Entity('PlanLimits', {
  ci_jobs_trace_size_limit: Count({ description: 'Maximum job log size in MB' }),
  generic_packages_max_file_size: Count({
    description: 'Maximum file size of generic packages in bytes; 0 for unlimited',
  }),
});

const shared = {
  path: '/application/plan_limits',
  tag: 'Application settings',
  credentials: ['token', 'session'],
  access: { on: 'instance', ability: 'admin' },
  responses: { 200: PlanLimits },
} as const;
const plans = ['default', 'free', 'premium', 'ultimate'] as const;
const plan = { description: 'Plan; all of them are one here' };

export const planLimitRoutes = (settings: Settings): readonly Route[] => {
  const limits = async (): Promise<Static<typeof PlanLimits>> => {
    const { values } = await settings.stored();
    const { ci_jobs_trace_size_limit, generic_packages_max_file_size } = values;
    return { ci_jobs_trace_size_limit, generic_packages_max_file_size };
  };
  return [
    route({
      ...shared,
      method: 'GET',
      summary: 'Get the limits of a plan',
      params: Type.Object({ plan_name: Optional(OneOf(plans, plan)) }),
      handler: () => limits(),
    }),
    route({
      ...shared,
      method: 'PUT',
      summary: 'Update the limits of a plan',
      params: Type.Object({
        plan_name: OneOf(plans, plan),
        ci_jobs_trace_size_limit: Optional(Int({ description: 'Maximum job log size in MB' })),
        generic_packages_max_file_size: Optional(
          Int({ description: 'Maximum file size of generic packages in bytes; 0 for unlimited' }),
        ),
      }),
      handler: async (context) => {
        const { plan_name: _, ...given } = context.params;
        await settings.write(given, originOf(context));
        return await limits();
      },
    }),
  ];
};
