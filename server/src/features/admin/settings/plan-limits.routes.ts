/** Limits of plans, as clients of the ecosystem ask for them: there is one plan, and its limits are settings of the instance. */
import Type, { type Static } from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import { Count, Entity } from '../../../kernel/http/entity.ts';
import { Int, OneOf, Optional } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { Settings } from '../../../kernel/settings/index.ts';

const meanings = {
  ci_jobs_trace_size_limit: 'Maximum job log size in MB',
  dotenv_size: 'Maximum size of a dotenv report in bytes',
  dotenv_variables: 'Maximum variables of a dotenv report',
  generic_packages_max_file_size: 'Maximum file size of generic packages in bytes; 0 for unlimited',
} as const;
const count = (name: keyof typeof meanings) => Count({ description: meanings[name] });
const given = (name: keyof typeof meanings) => Optional(Int({ description: meanings[name] }));

const PlanLimits = Entity('PlanLimits', {
  ci_jobs_trace_size_limit: count('ci_jobs_trace_size_limit'),
  dotenv_size: count('dotenv_size'),
  dotenv_variables: count('dotenv_variables'),
  generic_packages_max_file_size: count('generic_packages_max_file_size'),
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
    const { ci_jobs_trace_size_limit, dotenv_size, dotenv_variables, generic_packages_max_file_size } = values;
    return { ci_jobs_trace_size_limit, dotenv_size, dotenv_variables, generic_packages_max_file_size };
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
        ci_jobs_trace_size_limit: given('ci_jobs_trace_size_limit'),
        dotenv_size: given('dotenv_size'),
        dotenv_variables: given('dotenv_variables'),
        generic_packages_max_file_size: given('generic_packages_max_file_size'),
      }),
      handler: async (context) => {
        const { plan_name: _, ...changes } = context.params;
        await settings.write(changes, originOf(context));
        return await limits();
      },
    }),
  ];
};
