BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0026');
CREATE TABLE answers (
	key_id VARCHAR(40) NOT NULL, 
	name VARCHAR(255) NOT NULL, 
	fingerprint VARCHAR(64) NOT NULL, 
	status INTEGER NOT NULL, 
	nonce BLOB NOT NULL, 
	sealed BLOB NOT NULL, 
	kept_at BIGINT NOT NULL, 
	CONSTRAINT pk_answers PRIMARY KEY (key_id, name), 
	CONSTRAINT fk_answers_key_id FOREIGN KEY(key_id) REFERENCES keys (id) ON DELETE CASCADE
);
INSERT INTO "answers" VALUES('keys.id.1','answers.name.1','answers.fingerprint.1',1,X'616E73776572732E6E6F6E63652E31',X'616E73776572732E7365616C65642E31',1);
INSERT INTO "answers" VALUES('keys.id.2','answers.name.2','answers.fingerprint.2',2,X'616E73776572732E6E6F6E63652E32',X'616E73776572732E7365616C65642E32',2);
CREATE TABLE approvals (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	workspace_id VARCHAR(40) NOT NULL, 
	playlist_id VARCHAR(40) NOT NULL, 
	status VARCHAR(20) NOT NULL, 
	document TEXT, 
	requested_by VARCHAR(40) NOT NULL, 
	decided_by VARCHAR(40), 
	reason TEXT, 
	version INTEGER, 
	created_at BIGINT NOT NULL, 
	decided_at BIGINT, 
	CONSTRAINT fk_approvals_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT fk_approvals_playlist_id FOREIGN KEY(playlist_id) REFERENCES playlists (id) ON DELETE CASCADE, 
	CONSTRAINT uq_approvals_id UNIQUE (id)
);
INSERT INTO "approvals" VALUES(1,'approvals.id.1','workspaces.id.1','playlists.id.1','approvals.status.1','approvals.document.1','approvals.requested_by.1','approvals.decided_by.1','approvals.reason.1',1,1,1);
INSERT INTO "approvals" VALUES(2,'approvals.id.2','workspaces.id.2','playlists.id.2','approvals.status.2','approvals.document.2','approvals.requested_by.2','approvals.decided_by.2','approvals.reason.2',2,2,2);
CREATE TABLE assets (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	workspace_id VARCHAR(40) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	size INTEGER NOT NULL, 
	media_type VARCHAR(100) NOT NULL, 
	created_at BIGINT NOT NULL, 
	CONSTRAINT fk_assets_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT uq_assets_workspace_id_digest UNIQUE (workspace_id, digest)
);
INSERT INTO "assets" VALUES(1,'workspaces.id.1','assets.digest.1',1,'assets.media_type.1',1);
INSERT INTO "assets" VALUES(2,'workspaces.id.2','assets.digest.2',2,'assets.media_type.2',2);
CREATE TABLE commands (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	screen_id VARCHAR(40) NOT NULL, 
	type VARCHAR(20) NOT NULL, 
	sendings INTEGER NOT NULL, 
	expires_at BIGINT NOT NULL, created_at BIGINT DEFAULT 0 NOT NULL, sent_at BIGINT, outcome VARCHAR(200), detail VARCHAR(1000), finished_at BIGINT, 
	CONSTRAINT fk_commands_screen_id FOREIGN KEY(screen_id) REFERENCES screens (id) ON DELETE CASCADE, 
	CONSTRAINT uq_commands_id UNIQUE (id)
);
INSERT INTO "commands" VALUES(1,'commands.id.1','screens.id.1','commands.type.1',1,1,1,1,'commands.outcome.1','commands.detail.1',1);
INSERT INTO "commands" VALUES(2,'commands.id.2','screens.id.2','commands.type.2',2,2,2,2,'commands.outcome.2','commands.detail.2',2);
CREATE TABLE deliveries (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	endpoint_id VARCHAR(40) NOT NULL, 
	event_id VARCHAR(40) NOT NULL, 
	status VARCHAR(20) NOT NULL, 
	tries INTEGER NOT NULL, 
	due_at BIGINT, 
	created_at BIGINT NOT NULL, 
	CONSTRAINT fk_deliveries_endpoint_id FOREIGN KEY(endpoint_id) REFERENCES webhooks (id) ON DELETE CASCADE, 
	CONSTRAINT fk_deliveries_event_id FOREIGN KEY(event_id) REFERENCES events (id) ON DELETE CASCADE, 
	CONSTRAINT uq_deliveries_id UNIQUE (id)
);
INSERT INTO "deliveries" VALUES(1,'deliveries.id.1','webhooks.id.1','events.id.1','deliveries.status.1',1,1,1);
INSERT INTO "deliveries" VALUES(2,'deliveries.id.2','webhooks.id.2','events.id.2','deliveries.status.2',2,2,2);
CREATE TABLE delivery_attempts (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	delivery_id VARCHAR(40) NOT NULL, 
	made_at BIGINT NOT NULL, 
	status INTEGER, 
	reason VARCHAR(200), 
	milliseconds INTEGER NOT NULL, 
	CONSTRAINT fk_delivery_attempts_delivery_id FOREIGN KEY(delivery_id) REFERENCES deliveries (id) ON DELETE CASCADE
);
INSERT INTO "delivery_attempts" VALUES(1,'deliveries.id.1',1,1,'delivery_attempts.reason.1',1);
INSERT INTO "delivery_attempts" VALUES(2,'deliveries.id.2',2,2,'delivery_attempts.reason.2',2);
CREATE TABLE ended_invites (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	workspace_id VARCHAR(40) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	ending VARCHAR(20) NOT NULL, 
	CONSTRAINT fk_ended_invites_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT uq_ended_invites_digest UNIQUE (digest)
);
INSERT INTO "ended_invites" VALUES(1,'workspaces.id.1','ended_invites.digest.1','ded_invites.ending.1');
INSERT INTO "ended_invites" VALUES(2,'workspaces.id.2','ended_invites.digest.2','ded_invites.ending.2');
CREATE TABLE enrolment_tokens (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	workspace_id VARCHAR(40) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	location_id VARCHAR(40) NOT NULL, 
	playlist_id VARCHAR(40) NOT NULL, 
	screens INTEGER NOT NULL, 
	used INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	CONSTRAINT uq_enrolment_tokens_id UNIQUE (id), 
	CONSTRAINT uq_enrolment_tokens_digest UNIQUE (digest), 
	CONSTRAINT fk_enrolment_tokens_workspace_id_workspaces FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT fk_enrolment_tokens_location_id_locations FOREIGN KEY(location_id) REFERENCES locations (id) ON DELETE CASCADE, 
	CONSTRAINT fk_enrolment_tokens_playlist_id_playlists FOREIGN KEY(playlist_id) REFERENCES playlists (id) ON DELETE CASCADE
);
INSERT INTO "enrolment_tokens" VALUES(1,'enrolment_tokens.id.1','workspaces.id.1','enrolment_tokens.digest.1','enrolment_tokens.name.1','locations.id.1','playlists.id.1',1,1,1,1);
INSERT INTO "enrolment_tokens" VALUES(2,'enrolment_tokens.id.2','workspaces.id.2','enrolment_tokens.digest.2','enrolment_tokens.name.2','locations.id.2','playlists.id.2',2,2,2,2);
CREATE TABLE events (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	workspace_id VARCHAR(40) NOT NULL, 
	type VARCHAR(40) NOT NULL, 
	body TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	CONSTRAINT fk_events_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT uq_events_id UNIQUE (id)
);
INSERT INTO "events" VALUES(1,'events.id.1','workspaces.id.1','events.type.1','events.body.1',1);
INSERT INTO "events" VALUES(2,'events.id.2','workspaces.id.2','events.type.2','events.body.2',2);
CREATE TABLE facts (
	name VARCHAR(200) NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_facts PRIMARY KEY (name)
);
INSERT INTO "facts" VALUES('facts.name.1','facts.value.1');
INSERT INTO "facts" VALUES('facts.name.2','facts.value.2');
CREATE TABLE invites (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	workspace_id VARCHAR(40) NOT NULL, 
	email VARCHAR(254) NOT NULL, 
	role VARCHAR(20) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	invited_by VARCHAR(40) NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	CONSTRAINT fk_invites_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT uq_invites_id UNIQUE (id), 
	CONSTRAINT uq_invites_digest UNIQUE (digest), 
	CONSTRAINT uq_invites_workspace_id_email UNIQUE (workspace_id, email)
);
INSERT INTO "invites" VALUES(1,'invites.id.1','workspaces.id.1','invites.email.1','invites.role.1','invites.digest.1','invites.invited_by.1',1,1);
INSERT INTO "invites" VALUES(2,'invites.id.2','workspaces.id.2','invites.email.2','invites.role.2','invites.digest.2','invites.invited_by.2',2,2);
CREATE TABLE items (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	workspace_id VARCHAR(40) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	category VARCHAR(100) NOT NULL, 
	price BIGINT NOT NULL, 
	modifiers JSON NOT NULL, 
	eighty_sixed BOOLEAN NOT NULL, 
	eighty_sixed_until BIGINT, 
	description TEXT, 
	image VARCHAR(64), 
	tags JSON NOT NULL, 
	allergens JSON NOT NULL, 
	sort_index INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	changed_at BIGINT NOT NULL, variants JSON DEFAULT '[]' NOT NULL, energy INTEGER, energy_to INTEGER, regular_price BIGINT, offer_starts_at BIGINT, offer_ends_at BIGINT, parts JSON, price_kind VARCHAR(10) DEFAULT 'exact' NOT NULL, price_unit VARCHAR(10), translations JSON DEFAULT '{}' NOT NULL, named_in VARCHAR(400) DEFAULT '' NOT NULL, variants_change_at BIGINT, featured BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT fk_items_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT uq_items_id UNIQUE (id)
);
INSERT INTO "items" VALUES(1,'items.id.1','workspaces.id.1','items.name.1','items.category.1',1,'{"row": 1}',1,1,'items.description.1','items.image.1','{"row": 1}','{"row": 1}',1,1,1,'{"row": 1}',1,1,1,1,1,'{"row": 1}','ice_kind.1','ice_unit.1','{"row": 1}','items.named_in.1',1,1);
INSERT INTO "items" VALUES(2,'items.id.2','workspaces.id.2','items.name.2','items.category.2',2,'{"row": 2}',0,2,'items.description.2','items.image.2','{"row": 2}','{"row": 2}',2,2,2,'{"row": 2}',2,2,2,2,2,'{"row": 2}','ice_kind.2','ice_unit.2','{"row": 2}','items.named_in.2',2,0);
CREATE TABLE keys (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	workspace_id VARCHAR(40) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	role VARCHAR(20) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	created_at BIGINT NOT NULL, locations JSON, last_used_at BIGINT, 
	CONSTRAINT fk_keys_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT uq_keys_digest UNIQUE (digest), 
	CONSTRAINT uq_keys_id UNIQUE (id)
);
INSERT INTO "keys" VALUES(1,'keys.id.1','workspaces.id.1','keys.name.1','keys.role.1','keys.digest.1',1,'{"row": 1}',1);
INSERT INTO "keys" VALUES(2,'keys.id.2','workspaces.id.2','keys.name.2','keys.role.2','keys.digest.2',2,'{"row": 2}',2);
CREATE TABLE locations (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	workspace_id VARCHAR(40) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	timezone VARCHAR(100) NOT NULL, 
	currency VARCHAR(3) NOT NULL, 
	locale VARCHAR(50) NOT NULL, 
	created_at BIGINT NOT NULL, 
	changed_at BIGINT NOT NULL, rotation INTEGER DEFAULT 0 NOT NULL, opening_hours JSON DEFAULT '[]' NOT NULL, second_currency JSON, live_values JSON DEFAULT '{}' NOT NULL, 
	CONSTRAINT fk_locations_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT uq_locations_id UNIQUE (id)
);
INSERT INTO "locations" VALUES(1,'locations.id.1','workspaces.id.1','locations.name.1','locations.timezone.1','y.1','locations.locale.1',1,1,1,'{"row": 1}','{"row": 1}','{"row": 1}');
INSERT INTO "locations" VALUES(2,'locations.id.2','workspaces.id.2','locations.name.2','locations.timezone.2','y.2','locations.locale.2',2,2,2,'{"row": 2}','{"row": 2}','{"row": 2}');
CREATE TABLE members (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	workspace_id VARCHAR(40) NOT NULL, 
	email VARCHAR(254) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	role VARCHAR(20) NOT NULL, 
	key_id VARCHAR(40), 
	created_at BIGINT NOT NULL, 
	CONSTRAINT fk_members_key_id FOREIGN KEY(key_id) REFERENCES keys (id) ON DELETE SET NULL, 
	CONSTRAINT fk_members_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT uq_members_id UNIQUE (id), 
	CONSTRAINT uq_members_workspace_id_email UNIQUE (workspace_id, email)
);
INSERT INTO "members" VALUES(1,'members.id.1','workspaces.id.1','members.email.1','members.name.1','members.role.1','keys.id.1',1);
INSERT INTO "members" VALUES(2,'members.id.2','workspaces.id.2','members.email.2','members.name.2','members.role.2','keys.id.2',2);
CREATE TABLE pairings (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	device_code_digest VARCHAR(64) NOT NULL, 
	user_code VARCHAR(6) NOT NULL, 
	device_id VARCHAR(40) NOT NULL, 
	device_name VARCHAR(200), 
	address VARCHAR(100) NOT NULL, 
	expires_at BIGINT NOT NULL, 
	interval_seconds INTEGER NOT NULL, 
	asked_at BIGINT, 
	claimed BOOLEAN NOT NULL, 
	screen_id VARCHAR(40), 
	CONSTRAINT fk_pairings_screen_id FOREIGN KEY(screen_id) REFERENCES screens (id) ON DELETE SET NULL, 
	CONSTRAINT uq_pairings_device_code_digest UNIQUE (device_code_digest), 
	CONSTRAINT uq_pairings_user_code UNIQUE (user_code)
);
INSERT INTO "pairings" VALUES(1,'pairings.device_code_digest.1','code.1','pairings.device_id.1','pairings.device_name.1','pairings.address.1',1,1,1,1,'screens.id.1');
INSERT INTO "pairings" VALUES(2,'pairings.device_code_digest.2','code.2','pairings.device_id.2','pairings.device_name.2','pairings.address.2',2,2,2,0,'screens.id.2');
CREATE TABLE playlist_entries (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	playlist_id VARCHAR(40) NOT NULL, 
	scene_id VARCHAR(40) NOT NULL, 
	position INTEGER NOT NULL, 
	duration_seconds INTEGER NOT NULL, 
	schedule JSON, 
	CONSTRAINT fk_playlist_entries_playlist_id FOREIGN KEY(playlist_id) REFERENCES playlists (id) ON DELETE CASCADE, 
	CONSTRAINT fk_playlist_entries_scene_id FOREIGN KEY(scene_id) REFERENCES scenes (id) ON DELETE RESTRICT, 
	CONSTRAINT uq_playlist_entries_id UNIQUE (id)
);
INSERT INTO "playlist_entries" VALUES(1,'playlist_entries.id.1','playlists.id.1','scenes.id.1',1,1,'{"row": 1}');
INSERT INTO "playlist_entries" VALUES(2,'playlist_entries.id.2','playlists.id.2','scenes.id.2',2,2,'{"row": 2}');
CREATE TABLE playlists (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	workspace_id VARCHAR(40) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	version INTEGER NOT NULL, 
	published_at BIGINT, 
	created_at BIGINT NOT NULL, 
	changed_at BIGINT NOT NULL, 
	CONSTRAINT fk_playlists_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT uq_playlists_id UNIQUE (id)
);
INSERT INTO "playlists" VALUES(1,'playlists.id.1','workspaces.id.1','playlists.name.1',1,1,1,1);
INSERT INTO "playlists" VALUES(2,'playlists.id.2','workspaces.id.2','playlists.name.2',2,2,2,2);
CREATE TABLE pos_connections (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	workspace_id VARCHAR(40) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	feed VARCHAR(2000) NOT NULL, 
	format VARCHAR(20) NOT NULL, 
	every_minutes INTEGER, 
	enabled BOOLEAN NOT NULL, 
	due_at BIGINT, 
	last_sync JSON, 
	created_at BIGINT NOT NULL, 
	changed_at BIGINT NOT NULL, 
	CONSTRAINT fk_pos_connections_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT uq_pos_connections_id UNIQUE (id)
);
INSERT INTO "pos_connections" VALUES(1,'pos_connections.id.1','workspaces.id.1','pos_connections.name.1','pos_connections.feed.1','connections.format.1',1,1,1,'{"row": 1}',1,1);
INSERT INTO "pos_connections" VALUES(2,'pos_connections.id.2','workspaces.id.2','pos_connections.name.2','pos_connections.feed.2','connections.format.2',2,0,2,'{"row": 2}',2,2);
CREATE TABLE pos_links (
	connection_id VARCHAR(40) NOT NULL, 
	external_id VARCHAR(100) NOT NULL, 
	item_id VARCHAR(40) NOT NULL, 
	sold_out BOOLEAN, variants_sold_out JSON DEFAULT '{}' NOT NULL, 
	CONSTRAINT pk_pos_links PRIMARY KEY (connection_id, external_id), 
	CONSTRAINT fk_pos_links_connection_id FOREIGN KEY(connection_id) REFERENCES pos_connections (id) ON DELETE CASCADE, 
	CONSTRAINT fk_pos_links_item_id FOREIGN KEY(item_id) REFERENCES items (id) ON DELETE CASCADE
);
INSERT INTO "pos_links" VALUES('pos_connections.id.1','pos_links.external_id.1','items.id.1',1,'{"row": 1}');
INSERT INTO "pos_links" VALUES('pos_connections.id.2','pos_links.external_id.2','items.id.2',0,'{"row": 2}');
CREATE TABLE publications (
	playlist_id VARCHAR(40) NOT NULL, 
	version INTEGER NOT NULL, 
	published_at BIGINT NOT NULL, 
	document TEXT NOT NULL, 
	CONSTRAINT pk_publications PRIMARY KEY (playlist_id, version), 
	CONSTRAINT fk_publications_playlist_id FOREIGN KEY(playlist_id) REFERENCES playlists (id) ON DELETE CASCADE
);
INSERT INTO "publications" VALUES('playlists.id.1',1,1,'{"scenes": [{"id": "scenes.id.1", "widgets": [], "schedules": []}], "playlist": {"name": "All", "entries": [{"sceneId": "scenes.id.1", "durationSeconds": 5, "schedule": null}]}}');
INSERT INTO "publications" VALUES('playlists.id.2',2,2,'{"scenes": [{"id": "scenes.id.1", "widgets": [], "schedules": []}], "playlist": {"name": "All", "entries": [{"sceneId": "scenes.id.1", "durationSeconds": 5, "schedule": null}]}}');
CREATE TABLE revisions (
	location_id VARCHAR(40) NOT NULL, 
	playlist_id VARCHAR(40) NOT NULL, 
	revision INTEGER NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	revision_at BIGINT NOT NULL, 
	CONSTRAINT pk_revisions PRIMARY KEY (location_id, playlist_id), 
	CONSTRAINT fk_revisions_location_id FOREIGN KEY(location_id) REFERENCES locations (id) ON DELETE CASCADE
);
INSERT INTO "revisions" VALUES('locations.id.1','revisions.playlist_id.1',1,'revisions.digest.1',1);
INSERT INTO "revisions" VALUES('locations.id.2','revisions.playlist_id.2',2,'revisions.digest.2',2);
CREATE TABLE revoked_tokens (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	digest VARCHAR(64) NOT NULL, 
	revoked_at BIGINT NOT NULL, 
	CONSTRAINT uq_revoked_tokens_digest UNIQUE (digest)
);
INSERT INTO "revoked_tokens" VALUES(1,'revoked_tokens.digest.1',1);
INSERT INTO "revoked_tokens" VALUES(2,'revoked_tokens.digest.2',2);
CREATE TABLE rollouts (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	workspace_id VARCHAR(40) NOT NULL, 
	version VARCHAR(100) NOT NULL, 
	tags JSON NOT NULL, 
	percent INTEGER NOT NULL, 
	stop_at_percent INTEGER NOT NULL, 
	stopped BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, 
	CONSTRAINT fk_rollouts_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT uq_rollouts_id UNIQUE (id)
);
INSERT INTO "rollouts" VALUES(1,'rollouts.id.1','workspaces.id.1','rollouts.version.1','{"row": 1}',1,1,1,1);
INSERT INTO "rollouts" VALUES(2,'rollouts.id.2','workspaces.id.2','rollouts.version.2','{"row": 2}',2,2,0,2);
CREATE TABLE scenes (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	workspace_id VARCHAR(40) NOT NULL, 
	document JSON NOT NULL, 
	created_at BIGINT NOT NULL, 
	changed_at BIGINT NOT NULL, 
	CONSTRAINT fk_scenes_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT uq_scenes_id UNIQUE (id)
);
INSERT INTO "scenes" VALUES(1,'scenes.id.1','workspaces.id.1','{"row": 1}',1,1);
INSERT INTO "scenes" VALUES(2,'scenes.id.2','workspaces.id.2','{"row": 2}',2,2);
CREATE TABLE schedules (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	workspace_id VARCHAR(40) NOT NULL, 
	scene_id VARCHAR(40) NOT NULL, 
	document JSON NOT NULL, 
	created_at BIGINT NOT NULL, 
	CONSTRAINT fk_schedules_scene_id FOREIGN KEY(scene_id) REFERENCES scenes (id) ON DELETE CASCADE, 
	CONSTRAINT fk_schedules_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT uq_schedules_id UNIQUE (id)
);
INSERT INTO "schedules" VALUES(1,'schedules.id.1','workspaces.id.1','scenes.id.1','{"row": 1}',1);
INSERT INTO "schedules" VALUES(2,'schedules.id.2','workspaces.id.2','scenes.id.2','{"row": 2}',2);
CREATE TABLE screen_uploads (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	screen_id VARCHAR(40) NOT NULL, 
	kind VARCHAR(20) NOT NULL, 
	media_type VARCHAR(100) NOT NULL, 
	content BLOB NOT NULL, 
	received_at BIGINT NOT NULL, 
	CONSTRAINT fk_screen_uploads_screen_id FOREIGN KEY(screen_id) REFERENCES screens (id) ON DELETE CASCADE, 
	CONSTRAINT uq_screen_uploads_screen_id_kind UNIQUE (screen_id, kind)
);
INSERT INTO "screen_uploads" VALUES(1,'screens.id.1','creen_uploads.kind.1','screen_uploads.media_type.1',X'73637265656E5F75706C6F6164732E636F6E74656E742E31',1);
INSERT INTO "screen_uploads" VALUES(2,'screens.id.2','creen_uploads.kind.2','screen_uploads.media_type.2',X'73637265656E5F75706C6F6164732E636F6E74656E742E32',2);
CREATE TABLE screens (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	workspace_id VARCHAR(40) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	device_id VARCHAR(40) NOT NULL, 
	location_id VARCHAR(40) NOT NULL, 
	playlist_id VARCHAR(40), 
	token_digest VARCHAR(64), 
	token_used BOOLEAN NOT NULL, 
	last_seen BIGINT, 
	report JSON, 
	created_at BIGINT NOT NULL, 
	changed_at BIGINT NOT NULL, online BOOLEAN DEFAULT 0 NOT NULL, reported_at BIGINT, finding_codes VARCHAR(500), display JSON DEFAULT '{}' NOT NULL, tags JSON DEFAULT '[]' NOT NULL, 
	CONSTRAINT fk_screens_location_id FOREIGN KEY(location_id) REFERENCES locations (id) ON DELETE RESTRICT, 
	CONSTRAINT fk_screens_playlist_id FOREIGN KEY(playlist_id) REFERENCES playlists (id) ON DELETE RESTRICT, 
	CONSTRAINT fk_screens_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT uq_screens_id UNIQUE (id), 
	CONSTRAINT uq_screens_token_digest UNIQUE (token_digest), 
	CONSTRAINT uq_screens_workspace_id_device_id UNIQUE (workspace_id, device_id)
);
INSERT INTO "screens" VALUES(1,'screens.id.1','workspaces.id.1','screens.name.1','screens.device_id.1','locations.id.1','playlists.id.1','screens.token_digest.1',1,1,'{"row": 1}',1,1,1,1,'screens.finding_codes.1','{"row": 1}','{"row": 1}');
INSERT INTO "screens" VALUES(2,'screens.id.2','workspaces.id.2','screens.name.2','screens.device_id.2','locations.id.2','playlists.id.2','screens.token_digest.2',0,2,'{"row": 2}',2,2,0,2,'screens.finding_codes.2','{"row": 2}','{"row": 2}');
CREATE TABLE subscriptions (
	workspace_id VARCHAR(40) NOT NULL, 
	"plan" VARCHAR(100) NOT NULL, 
	status VARCHAR(20) NOT NULL, 
	changed_at BIGINT NOT NULL, 
	CONSTRAINT pk_subscriptions PRIMARY KEY (workspace_id), 
	CONSTRAINT fk_subscriptions_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);
INSERT INTO "subscriptions" VALUES('workspaces.id.1','subscriptions.plan.1','bscriptions.status.1',1);
INSERT INTO "subscriptions" VALUES('workspaces.id.2','subscriptions.plan.2','bscriptions.status.2',2);
CREATE TABLE webhooks (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(40) NOT NULL, 
	workspace_id VARCHAR(40) NOT NULL, 
	url VARCHAR(2000) NOT NULL, 
	events JSON NOT NULL, 
	secret VARCHAR(100) NOT NULL, 
	old_secret VARCHAR(100), 
	old_secret_until BIGINT, 
	enabled BOOLEAN NOT NULL, 
	failures INTEGER NOT NULL, 
	busy_until BIGINT NOT NULL, 
	created_at BIGINT NOT NULL, 
	changed_at BIGINT NOT NULL, 
	CONSTRAINT fk_webhooks_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	CONSTRAINT uq_webhooks_id UNIQUE (id)
);
INSERT INTO "webhooks" VALUES(1,'webhooks.id.1','workspaces.id.1','webhooks.url.1','{"row": 1}','webhooks.secret.1','webhooks.old_secret.1',1,1,1,1,1,1);
INSERT INTO "webhooks" VALUES(2,'webhooks.id.2','workspaces.id.2','webhooks.url.2','{"row": 2}','webhooks.secret.2','webhooks.old_secret.2',2,0,2,2,2,2);
CREATE TABLE words (
	workspace_id VARCHAR(40) NOT NULL, 
	words JSON NOT NULL, 
	changed_at BIGINT NOT NULL, 
	CONSTRAINT pk_words PRIMARY KEY (workspace_id), 
	CONSTRAINT fk_words_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);
INSERT INTO "words" VALUES('workspaces.id.1','{"row": 1}',1);
INSERT INTO "words" VALUES('workspaces.id.2','{"row": 2}',2);
CREATE TABLE workspaces (
	id VARCHAR(40) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	created_at BIGINT NOT NULL, 
	catalogue_changed_at BIGINT NOT NULL, content_number INTEGER DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_workspaces PRIMARY KEY (id), 
	CONSTRAINT uq_workspaces_name UNIQUE (name)
);
INSERT INTO "workspaces" VALUES('workspaces.id.1','workspaces.name.1',1,1,1);
INSERT INTO "workspaces" VALUES('workspaces.id.2','workspaces.name.2',2,2,2);
CREATE TABLE wrong_codes (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	workspace_id VARCHAR(40) NOT NULL, 
	tried_at BIGINT NOT NULL, 
	CONSTRAINT fk_wrong_codes_workspace_id FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);
INSERT INTO "wrong_codes" VALUES(1,'workspaces.id.1',1);
INSERT INTO "wrong_codes" VALUES(2,'workspaces.id.2',2);
CREATE TABLE wrong_tokens (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	address VARCHAR(100) NOT NULL, 
	tried_at BIGINT NOT NULL
);
INSERT INTO "wrong_tokens" VALUES(1,'wrong_tokens.address.1',1);
INSERT INTO "wrong_tokens" VALUES(2,'wrong_tokens.address.2',2);
CREATE INDEX ix_assets_workspace_id ON assets (workspace_id);
CREATE INDEX ix_items_eighty_sixed_until ON items (eighty_sixed_until);
CREATE INDEX ix_items_workspace_id ON items (workspace_id);
CREATE INDEX ix_keys_workspace_id ON keys (workspace_id);
CREATE INDEX ix_locations_workspace_id ON locations (workspace_id);
CREATE INDEX ix_playlists_workspace_id ON playlists (workspace_id);
CREATE INDEX ix_scenes_workspace_id ON scenes (workspace_id);
CREATE INDEX ix_wrong_codes_workspace_id_tried_at ON wrong_codes (workspace_id, tried_at);
CREATE INDEX ix_playlist_entries_playlist_id ON playlist_entries (playlist_id);
CREATE INDEX ix_playlist_entries_scene_id ON playlist_entries (scene_id);
CREATE INDEX ix_schedules_scene_id ON schedules (scene_id);
CREATE INDEX ix_schedules_workspace_id ON schedules (workspace_id);
CREATE INDEX ix_screens_location_id ON screens (location_id);
CREATE INDEX ix_screens_playlist_id ON screens (playlist_id);
CREATE INDEX ix_screens_workspace_id ON screens (workspace_id);
CREATE INDEX ix_pairings_address_expires_at ON pairings (address, expires_at);
CREATE INDEX ix_pairings_expires_at ON pairings (expires_at);
CREATE INDEX ix_pairings_screen_id ON pairings (screen_id);
CREATE INDEX ix_answers_kept_at ON answers (kept_at);
CREATE INDEX ix_events_workspace_id ON events (workspace_id);
CREATE INDEX ix_events_created_at ON events (created_at);
CREATE INDEX ix_webhooks_workspace_id ON webhooks (workspace_id);
CREATE INDEX ix_deliveries_endpoint_id_due_at ON deliveries (endpoint_id, due_at);
CREATE INDEX ix_deliveries_event_id ON deliveries (event_id);
CREATE INDEX ix_deliveries_due_at ON deliveries (due_at);
CREATE INDEX ix_delivery_attempts_delivery_id ON delivery_attempts (delivery_id);
CREATE INDEX ix_approvals_workspace_id_status ON approvals (workspace_id, status);
CREATE INDEX ix_approvals_playlist_id ON approvals (playlist_id);
CREATE INDEX ix_pos_connections_workspace_id ON pos_connections (workspace_id);
CREATE INDEX ix_pos_connections_due_at ON pos_connections (due_at);
CREATE INDEX ix_pos_links_item_id ON pos_links (item_id);
CREATE INDEX ix_invites_workspace_id ON invites (workspace_id);
CREATE INDEX ix_invites_expires_at ON invites (expires_at);
CREATE INDEX ix_members_key_id ON members (key_id);
CREATE INDEX ix_members_workspace_id ON members (workspace_id);
CREATE INDEX ix_ended_invites_workspace_id ON ended_invites (workspace_id);
CREATE INDEX ix_wrong_tokens_address_tried_at ON wrong_tokens (address, tried_at);
CREATE INDEX ix_wrong_tokens_tried_at ON wrong_tokens (tried_at);
CREATE INDEX ix_commands_screen_id ON commands (screen_id);
CREATE INDEX ix_commands_expires_at ON commands (expires_at);
CREATE INDEX ix_revoked_tokens_revoked_at ON revoked_tokens (revoked_at);
CREATE INDEX ix_commands_created_at ON commands (created_at);
CREATE INDEX ix_enrolment_tokens_workspace_id ON enrolment_tokens (workspace_id);
CREATE INDEX ix_enrolment_tokens_location_id ON enrolment_tokens (location_id);
CREATE INDEX ix_enrolment_tokens_playlist_id ON enrolment_tokens (playlist_id);
CREATE INDEX ix_rollouts_workspace_id ON rollouts (workspace_id);
CREATE INDEX ix_items_offer_starts_at ON items (offer_starts_at);
CREATE INDEX ix_items_offer_ends_at ON items (offer_ends_at);
CREATE INDEX ix_items_variants_change_at ON items (variants_change_at);
CREATE INDEX ix_items_workspace_id_category ON items (workspace_id, category);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('revoked_tokens',900);
INSERT INTO "sqlite_sequence" VALUES('wrong_tokens',900);
INSERT INTO "sqlite_sequence" VALUES('assets',900);
INSERT INTO "sqlite_sequence" VALUES('ended_invites',900);
INSERT INTO "sqlite_sequence" VALUES('events',900);
INSERT INTO "sqlite_sequence" VALUES('invites',900);
INSERT INTO "sqlite_sequence" VALUES('items',900);
INSERT INTO "sqlite_sequence" VALUES('keys',900);
INSERT INTO "sqlite_sequence" VALUES('locations',900);
INSERT INTO "sqlite_sequence" VALUES('playlists',900);
INSERT INTO "sqlite_sequence" VALUES('pos_connections',900);
INSERT INTO "sqlite_sequence" VALUES('rollouts',900);
INSERT INTO "sqlite_sequence" VALUES('scenes',900);
INSERT INTO "sqlite_sequence" VALUES('webhooks',900);
INSERT INTO "sqlite_sequence" VALUES('wrong_codes',900);
INSERT INTO "sqlite_sequence" VALUES('approvals',900);
INSERT INTO "sqlite_sequence" VALUES('deliveries',900);
INSERT INTO "sqlite_sequence" VALUES('enrolment_tokens',900);
INSERT INTO "sqlite_sequence" VALUES('members',900);
INSERT INTO "sqlite_sequence" VALUES('playlist_entries',900);
INSERT INTO "sqlite_sequence" VALUES('schedules',900);
INSERT INTO "sqlite_sequence" VALUES('screens',900);
INSERT INTO "sqlite_sequence" VALUES('commands',900);
INSERT INTO "sqlite_sequence" VALUES('delivery_attempts',900);
INSERT INTO "sqlite_sequence" VALUES('pairings',900);
INSERT INTO "sqlite_sequence" VALUES('screen_uploads',900);
COMMIT;
