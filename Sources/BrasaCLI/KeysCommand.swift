import ArgumentParser
import BrasaPlatform
import BrasaServer
import BrasaTokens

struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make, list, disable and delete administrators' keys.",
        discussion: """
            A program with a key has an administrator's rights. The commands change a list in the data folder, whether a \
            server runs on it or not: it sees the change within seconds. They are run as the server's user. As soon as \
            there is a list, a server lets in nobody who shows no key's token.
            """,
        subcommands: [Create.self, List.self, Disable.self, Enable.self, Delete.self]
    )

    struct Folder: ParsableArguments {
        @Option(
            help: "The folder that holds the data (BRASA_DATA_DIR; default: \(ServerConfiguration().dataDirectory))."
        )
        var dataDir: String?

        var store: AdministratorKeyStore {
            let folder =
                self.dataDir ?? ProcessSurroundings.variable("BRASA_DATA_DIR") ?? ServerConfiguration().dataDirectory
            return AdministratorKeyStore(disk: RealDisk(), dataDirectory: folder)
        }
    }

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key, and print the file that programs need.",
            discussion: """
                The file has the format of Google's service accounts; official clients read it when \
                GOOGLE_APPLICATION_CREDENTIALS is its path. It is printed once and kept nowhere: what is kept says \
                which tokens the key has signed, and signs none.
                """
        )

        @Argument(help: "What to call it: lower case letters, digits and dashes.")
        var name: String

        @Flag(help: "For reading only.")
        var readOnly = false

        @Option(help: "A database that it is for, as projects/P/databases/D; may be repeated (default: all).")
        var database: [String] = []

        @Option(help: "What programs take for their project when they name none.")
        var project = "brasa"

        @Option(help: "Where programs reach the server.")
        var server = "https://localhost:8080"

        @OptionGroup var folder: Folder

        func run() throws {
            try self.attempt { () throws(AdministratorKeyError) in
                print(
                    try self.folder.store.create(
                        self.name,
                        role: self.readOnly ? .readOnly : .administrator,
                        databases: self.database,
                        project: self.project,
                        server: self.server,
                        clock: .system,
                        entropy: .system
                    )
                )
            }
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the keys.")

        @OptionGroup var folder: Folder

        func run() throws {
            try self.attempt { () throws(AdministratorKeyError) in
                AdministratorKeyTable.lines(try self.folder.store.read().keys).forEach { print($0) }
            }
        }
    }

    struct Disable: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let a key name nobody until it is enabled.")
        @Argument(help: "The key's name.") var name: String
        @OptionGroup var folder: Folder

        func run() throws {
            try self.attempt { () throws(AdministratorKeyError) in
                try self.folder.store.setDisabled(true, self.name)
            }
        }
    }

    struct Enable: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Let a key that was disabled be good again.")
        @Argument(help: "The key's name.") var name: String
        @OptionGroup var folder: Folder

        func run() throws {
            try self.attempt { () throws(AdministratorKeyError) in
                try self.folder.store.setDisabled(false, self.name)
            }
        }
    }

    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a key for ever.")
        @Argument(help: "The key's name.") var name: String
        @OptionGroup var folder: Folder

        func run() throws {
            try self.attempt { () throws(AdministratorKeyError) in try self.folder.store.delete(self.name) }
        }
    }
}
