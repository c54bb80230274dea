package code

import "strings"

// drivers are the libraries for databases, and the client that does the same with a
// text of SQL. The options come before the text.
var drivers = [...]struct{ words, client, options string }{
	{"sqlite3 better-sqlite3 SQLite3 sqlite aiosqlite bun:sqlite", "sqlite3", ""},
	{"pymysql MySQLdb mysql mysql2 mysqli Mysql2 mariadb aiomysql", "mysql", "-e"},
	{"psycopg2 psycopg asyncpg pg8000 pg postgres PG sqlalchemy DBI PDO knex sequelize Sequel ActiveRecord prisma typeorm cursor", "psql", "-c"},
}

// queries are the methods that give a text of SQL to a database.
const queries = "execute executescript execute_batch query exec exec_query exec_params run raw do unsafe $queryRawUnsafe $executeRawUnsafe executeQuery executeUpdate async_exec multi_query"

// statements are the words that a text of SQL starts with which takes something away or
// changes it.
const statements = "drop truncate delete update alter grant revoke"

// emptied are the methods that empty or drop a whole store, and the client's words for it.
var emptied = [...]struct{ names, words string }{
	{"drop_database dropDatabase", "mongosh --eval db.dropDatabase()"},
	{"flushall flushAll FLUSHALL", "redis-cli FLUSHALL"},
	{"flushdb flushDb FLUSHDB", "redis-cli FLUSHDB"},
}

// sql tells the host of the client that does to a database what the call does.
func (c *scanner) sql(k *call) bool {
	for i := range emptied {
		if isOneOf(k.name, emptied[i].names) && k.text != k.name {
			c.host.Shell(Value{IsList: true, List: c.connected(strings.Fields(emptied[i].words)), Known: true}, int(k.start), int(k.end))
			return true
		}
	}
	first := k.arg(0)
	word, _, _ := strings.Cut(strings.TrimSpace(first.Text), " ")
	if !isOneOf(k.name, queries) || first.IsList || !isOneOf(strings.ToLower(word), statements) || k.text == k.name {
		return false
	}
	if c.mentions(":memory:") {
		return true
	}
	for i := range drivers {
		for name := range strings.FieldsSeq(drivers[i].words) {
			if c.mentions(name) {
				words := append([]string{drivers[i].client}, strings.Fields(drivers[i].options)...)
				c.host.Shell(Value{IsList: true, List: c.connected(append(words, first.Text)), Known: first.Known}, int(k.start), int(k.end))
				return true
			}
		}
	}
	return false
}

// connected adds the server, or the file, to the words of a client, as the program
// names it.
func (c *scanner) connected(words []string) []string {
	if c.server == nil {
		c.server = []string{}
		for i := range c.toks {
			if found := c.serverAt(i, words[0]); found != nil {
				c.server = found
				break
			}
		}
	}
	return append(append(words[:1:1], c.server...), words[1:]...)
}

// serverAt are the words that name the server or the file at token i.
func (c *scanner) serverAt(i int, client string) []string {
	switch t := &c.toks[i]; {
	case t.kind == 's' && strings.Contains(t.text, " "):
	case t.kind == 's' && (strings.Contains(t.text, "://") || client == "sqlite3" && (strings.Contains(t.text, ".db") || strings.Contains(t.text, ".sqlite"))):
		return []string{t.text}
	case t.kind == 'i' && t.text == "host" && (c.at(i+1) == '=' || c.at(i+1) == ':') && c.at(i+2) == 's':
		return []string{"-h", c.toks[i+2].text}
	}
	return nil
}
