// Writes, reads and queries through the official Go client, which is told an address and, by its environment, a key file.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/option"
)

func main() {
	ctx := context.Background()
	client, err := firestore.NewClient(ctx, "demo", option.WithEndpoint(os.Args[1]))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	city := client.Doc("cities/SF")
	if _, err := city.Set(ctx, map[string]interface{}{"population": 860000}); err != nil {
		log.Fatal(err)
	}
	found, err := city.Get(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Data())
	documents, err := client.Collection("cities").Where("population", ">", 1).Documents(ctx).GetAll()
	if err != nil {
		log.Fatal(err)
	}
	for _, document := range documents {
		fmt.Println(document.Ref.ID)
	}
}
