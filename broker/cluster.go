package broker

import (
	"context"
	"errors"
	"fmt"

	"github.com/IBM/sarama"
)

// cluster is what a broker says of itself.
type cluster struct {
	id string
}

// describeCluster asks for the cluster's id and for the addresses under which its brokers say they
// can be reached, and tries those: a client that is past its first connection uses only them. A broker
// in a container that gives out an address of the container's network is the usual mistake.
func describeCluster(ctx context.Context, addr string, opts Options) (cluster, error) {
	conf := opts.config()
	first := sarama.NewBroker(addr)
	if err := first.Open(conf); err != nil {
		return cluster{}, unreachable(addr, "open a client", err, adviceOther)
	}
	defer first.Close()
	meta, err := first.GetMetadata(sarama.NewMetadataRequest(conf.Version, nil))
	if err != nil {
		return cluster{}, unreachable(addr, "ask for the brokers of the cluster", err, adviceSilent)
	}
	if len(meta.Brokers) == 0 {
		return cluster{}, unreachable(addr, "ask for the brokers of the cluster",
			errors.New("it knows of none"), "It is still starting: wait for its health check, then try again")
	}
	for _, b := range meta.Brokers {
		conn, err := dial(ctx, b.Addr())
		if err != nil {
			return cluster{}, unreachable(addr, fmt.Sprintf("use %s, the address that the broker gives out for itself", b.Addr()),
				err, "Set the broker's advertised.listeners to an address that can be reached from here")
		}
		conn.Close()
	}
	if meta.ClusterID == nil {
		return cluster{id: "unnamed"}, nil
	}
	return cluster{id: *meta.ClusterID}, nil
}
