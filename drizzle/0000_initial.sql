CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"actor" text NOT NULL,
	"source" text NOT NULL,
	"action" text NOT NULL,
	"object_type" text NOT NULL,
	"object_id" text NOT NULL,
	"object_name" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"request_id" text,
	"reversible" boolean DEFAULT false NOT NULL,
	"reverts" bigint,
	"config_version" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "boosts" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"model_id" uuid,
	"factor" double precision,
	"weight" integer,
	"reason" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_by" text NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"ended_by" text,
	"replaces" uuid,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "config_version" (
	"id" smallint PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"scope" text NOT NULL,
	"key_hash" text NOT NULL,
	"body_hash" text NOT NULL,
	"answer_sealed" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotency_keys_scope_key_hash_pk" PRIMARY KEY("scope","key_hash")
);
--> statement-breakpoint
CREATE TABLE "settings" (
	"name" text PRIMARY KEY NOT NULL,
	"value" jsonb,
	"version" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "endpoints" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"model_id" uuid NOT NULL,
	"name" text NOT NULL,
	"api_base" text NOT NULL,
	"protocol" text DEFAULT 'openai' NOT NULL,
	"upstream_model" text,
	"api_key_sealed" text,
	"headers_sealed" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"weight" integer DEFAULT 1 NOT NULL,
	"priority" integer DEFAULT 0 NOT NULL,
	"max_in_flight" integer,
	"enabled" boolean DEFAULT true NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "endpoints_name" UNIQUE("model_id","name")
);
--> statement-breakpoint
CREATE TABLE "groups" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"weight" integer DEFAULT 100 NOT NULL,
	"color" integer DEFAULT 0 NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "groups_name_unique" UNIQUE("name"),
	CONSTRAINT "groups_weight_from_1" CHECK ("groups"."weight" >= 1)
);
--> statement-breakpoint
CREATE TABLE "keys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"secret_hash" text NOT NULL,
	"previous_secret_hash" text,
	"previous_secret_expires_at" timestamp (3) with time zone,
	"previous_secret_last_used_at" timestamp (3) with time zone,
	"rotated_at" timestamp (3) with time zone,
	"weight" integer DEFAULT 100 NOT NULL,
	"max_in_flight" integer,
	"budget_tokens" bigint,
	"budget_cost_usd" double precision,
	"budget_period" text DEFAULT 'monthly' NOT NULL,
	"budget_started_at" timestamp (3) with time zone,
	"disabled" boolean DEFAULT false NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"last_used_at" timestamp (3) with time zone,
	"created_by" text NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "keys_secretHash_unique" UNIQUE("secret_hash"),
	CONSTRAINT "keys_weight_from_1" CHECK ("keys"."weight" >= 1),
	CONSTRAINT "keys_cap_from_1" CHECK ("keys"."max_in_flight" >= 1)
);
--> statement-breakpoint
CREATE TABLE "model_aliases" (
	"name" text PRIMARY KEY NOT NULL,
	"model_id" uuid NOT NULL,
	"is_alias" boolean NOT NULL,
	"place" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "models" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"type" text DEFAULT 'chat' NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"max_in_flight" integer,
	"capacity_mode" text DEFAULT 'static' NOT NULL,
	"capacity_source" text DEFAULT 'endpoints' NOT NULL,
	"per_replica_max_in_flight" integer,
	"capacity_headroom" double precision DEFAULT 1 NOT NULL,
	"kubernetes" jsonb,
	"dns" jsonb,
	"tuned_at" timestamp (3) with time zone,
	"tuned_by" text,
	"admission_weight" integer DEFAULT 100 NOT NULL,
	"session_affinity" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"endpoint_selection" text DEFAULT 'failover' NOT NULL,
	"request_timeout_secs" integer,
	"max_retries" integer DEFAULT 0 NOT NULL,
	"retry_backoff_ms" integer DEFAULT 250 NOT NULL,
	"input_cost_per_token" double precision,
	"output_cost_per_token" double precision,
	"tokenizer" text,
	"queue_without_servers" boolean DEFAULT false NOT NULL,
	"tags" text[] DEFAULT '{}'::text[] NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "models_name_unique" UNIQUE("name"),
	CONSTRAINT "models_size_from_1" CHECK ("models"."max_in_flight" >= 1),
	CONSTRAINT "models_admission_weight_from_1" CHECK ("models"."admission_weight" >= 1)
);
--> statement-breakpoint
CREATE TABLE "tenant_model_caps" (
	"tenant_id" uuid NOT NULL,
	"model_id" uuid NOT NULL,
	"max_in_flight" integer,
	CONSTRAINT "tenant_model_caps_tenant_id_model_id_pk" PRIMARY KEY("tenant_id","model_id"),
	CONSTRAINT "tenant_model_caps_cap_from_1" CHECK ("tenant_model_caps"."max_in_flight" >= 1)
);
--> statement-breakpoint
CREATE TABLE "tenants" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"group_id" uuid NOT NULL,
	"weight" integer DEFAULT 100 NOT NULL,
	"max_in_flight" integer,
	"tokens_per_minute" bigint,
	"budget_tokens" bigint,
	"budget_cost_usd" double precision,
	"budget_period" text DEFAULT 'monthly' NOT NULL,
	"budget_started_at" timestamp (3) with time zone,
	"status" text DEFAULT 'active' NOT NULL,
	"timezone" text DEFAULT 'UTC' NOT NULL,
	"active_from" timestamp (3) with time zone,
	"active_until" timestamp (3) with time zone,
	"weekly_windows" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"allowed_models" text[],
	"description" text DEFAULT '' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tenants_name_unique" UNIQUE("name"),
	CONSTRAINT "tenants_weight_from_1" CHECK ("tenants"."weight" >= 1),
	CONSTRAINT "tenants_cap_from_1" CHECK ("tenants"."max_in_flight" >= 1)
);
--> statement-breakpoint
CREATE TABLE "usage" (
	"request_id" text NOT NULL,
	"ts_ms" bigint NOT NULL,
	"tenant_id" uuid,
	"key_id" uuid,
	"model" text,
	"endpoint_id" text,
	"admission" text NOT NULL,
	"outcome" text NOT NULL,
	"weight" integer,
	"estimated_tokens" bigint NOT NULL,
	"input_tokens" bigint,
	"cached_tokens" bigint,
	"output_tokens" bigint,
	"queue_wait_ms" double precision NOT NULL,
	"ttft_ms" double precision,
	"total_ms" double precision NOT NULL,
	"status_code" integer NOT NULL,
	"cost_usd" double precision,
	"session_id" text,
	"session_source" text NOT NULL,
	"protocol" text NOT NULL,
	"replica" text NOT NULL,
	CONSTRAINT "usage_ts_ms_request_id_pk" PRIMARY KEY("ts_ms","request_id")
) PARTITION BY RANGE ("ts_ms");
--> statement-breakpoint
CREATE TABLE "usage_default" PARTITION OF "usage" DEFAULT;
--> statement-breakpoint
CREATE TABLE "reset_tokens" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"created_by" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"token_hash" text NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sessions_tokenHash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"role" text NOT NULL,
	"password_hash" text,
	"last_sign_in_at" timestamp (3) with time zone,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email")
);
--> statement-breakpoint
ALTER TABLE "boosts" ADD CONSTRAINT "boosts_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "boosts" ADD CONSTRAINT "boosts_model_id_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."models"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_model_id_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."models"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "keys" ADD CONSTRAINT "keys_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "model_aliases" ADD CONSTRAINT "model_aliases_model_id_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."models"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenant_model_caps" ADD CONSTRAINT "tenant_model_caps_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenant_model_caps" ADD CONSTRAINT "tenant_model_caps_model_id_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."models"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tenants" ADD CONSTRAINT "tenants_group_id_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reset_tokens" ADD CONSTRAINT "reset_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_at" ON "audit_log" USING btree ("at");--> statement-breakpoint
CREATE INDEX "audit_log_object" ON "audit_log" USING btree ("object_type","object_id");--> statement-breakpoint
CREATE INDEX "audit_log_actor" ON "audit_log" USING btree ("actor");--> statement-breakpoint
CREATE UNIQUE INDEX "audit_log_reverts" ON "audit_log" USING btree ("reverts");--> statement-breakpoint
CREATE UNIQUE INDEX "boosts_one_open" ON "boosts" USING btree ("tenant_id",coalesce("model_id", '00000000-0000-0000-0000-000000000000'::uuid)) WHERE "boosts"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "boosts_open_until" ON "boosts" USING btree ("expires_at") WHERE "boosts"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "endpoints_model" ON "endpoints" USING btree ("model_id");--> statement-breakpoint
CREATE INDEX "keys_tenant" ON "keys" USING btree ("tenant_id");--> statement-breakpoint
CREATE UNIQUE INDEX "keys_previous_secret" ON "keys" USING btree ("previous_secret_hash");--> statement-breakpoint
CREATE INDEX "model_aliases_model" ON "model_aliases" USING btree ("model_id");--> statement-breakpoint
CREATE INDEX "tenants_group" ON "tenants" USING btree ("group_id");--> statement-breakpoint
CREATE INDEX "usage_tenant" ON "usage" USING btree ("tenant_id","ts_ms");--> statement-breakpoint
CREATE INDEX "usage_key" ON "usage" USING btree ("key_id","ts_ms");--> statement-breakpoint
CREATE INDEX "usage_model" ON "usage" USING btree ("model","ts_ms");--> statement-breakpoint
CREATE INDEX "reset_tokens_user" ON "reset_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");
--> statement-breakpoint
INSERT INTO "config_version" ("id", "version") VALUES (1, 1);
--> statement-breakpoint
INSERT INTO "groups" ("name", "weight", "color") VALUES ('default', 100, 0);
